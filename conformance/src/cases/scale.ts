/** The scale subresource of Deployments and of custom resources. */
import type { Area } from '../case.ts';
import { define, definition, widgets } from '../custom-resources.ts';
import { exactly, resourceVersion, timestamp, uid } from '../match.ts';
import { deployment } from '../objects.ts';
import { deployments } from '../paths.ts';
import { invalid, modified, notFound } from '../refusals.ts';

const tooFew = {
  reason: 'FieldValueInvalid',
  message: 'Invalid value: -1: must be greater than or equal to 0',
  field: 'spec.replicas',
};

export const scale: Area = {
  name: 'scale',
  proves: ['K2', 'S3'],
  cases: {
    'of a Deployment shows replicas and selector': async (t) => {
      const namespace = await t.namespace();
      const { metadata } = (await t.post(deployments(namespace), deployment('a'))).is(201);
      (await t.get(`${deployments(namespace)}/a/scale`)).is(
        200,
        exactly({
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: {
            name: 'a',
            namespace,
            uid: metadata.uid,
            resourceVersion,
            creationTimestamp: metadata.creationTimestamp,
          },
          spec: { replicas: 3 },
          status: { replicas: 0, selector: 'app=a' },
        }),
      );
    },

    'a PUT of the scale changes the replicas and the generation': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      (await t.put(`${path}/a/scale`, { metadata: { name: 'a' }, spec: { replicas: 5 } })).is(200, {
        kind: 'Scale',
        spec: { replicas: 5 },
      });
      (await t.get(`${path}/a`)).is(200, { metadata: { generation: 2 }, spec: { replicas: 5 } });
    },

    'a patch of the scale changes the replicas': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      (await t.mergePatch(`${path}/a/scale`, { spec: { replicas: 5 } })).is(200, { spec: { replicas: 5 } });
      const operations = [{ op: 'replace', path: '/spec/replicas', value: 6 }];
      (await t.jsonPatch(`${path}/a/scale`, operations)).is(200, { spec: { replicas: 6 } });
      (await t.get(`${path}/a`)).is(200, { metadata: { generation: 3 }, spec: { replicas: 6 } });
    },

    'a scale is recorded as an owner of replicas, without a time': async (t) => {
      const path = deployments(await t.namespace());
      (await t.apply(`${path}/a`, deployment('a'), { manager: 'one' })).is(201);
      const query = { fieldManager: 'scaler' };
      (await t.mergePatch(`${path}/a/scale`, { spec: { replicas: 5 } }, { query })).is(200);
      const answer = await t.get(`${path}/a`);
      const { metadata } = answer.is(200);
      const found = metadata.managedFields?.filter(({ manager }) => manager === 'scaler');
      answer.judge(
        found,
        [
          exactly({
            manager: 'scaler',
            operation: 'Update',
            apiVersion: 'apps/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:replicas': {} } },
            subresource: 'scale',
          }),
        ],
        'managedFields',
      );
      (await t.apply(`${path}/a`, deployment('a'), { manager: 'one' })).refuses({
        code: 409,
        reason: 'Conflict',
        message:
          'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "scaler" with subresource "scale" using apps/v1',
              field: '.spec.replicas',
            },
          ],
        },
      });
    },

    'a scale can be applied, and conflicts with whom applied the replicas': async (t) => {
      const path = deployments(await t.namespace());
      (await t.apply(`${path}/a`, deployment('a'), { manager: 'one' })).is(201);
      const body = {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'a' },
        spec: { replicas: 5 },
      };
      (await t.apply(`${path}/a/scale`, body, { manager: 'two' })).refuses({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.replicas' }],
        },
      });
      (await t.apply(`${path}/a/scale`, body, { manager: 'two', force: true })).is(200, { spec: { replicas: 5 } });
      (await t.get(`${path}/a`)).is(200, { metadata: { generation: 2 }, spec: { replicas: 5 } });
      (await t.apply(`${path}/a`, deployment('a'), { manager: 'one' })).refuses({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "two" with subresource "scale": .spec.replicas',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "two" with subresource "scale"',
              field: '.spec.replicas',
            },
          ],
        },
      });
    },

    'a stale resourceVersion conflicts, in the name of the Deployment': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      const body = { metadata: { name: 'a', resourceVersion: '5' }, spec: { replicas: 5 } };
      (await t.put(`${path}/a/scale`, body)).refuses(modified('deployments.apps', 'a'));
    },

    'negative replicas are invalid': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      (await t.put(`${path}/a/scale`, { metadata: { name: 'a' }, spec: { replicas: -1 } })).refuses(
        invalid('Scale.autoscaling', 'a', tooFew),
      );
    },

    'of what does not exist is not found': async (t) => {
      const namespace = await t.namespace();
      (await t.get(`${deployments(namespace)}/a/scale`)).refuses(notFound('deployments.apps', 'a'));
      const widget = await widgets(t);
      (await t.get(`${widget.in(namespace)}/a/scale`)).refuses(notFound(widget.crd, 'a'));
    },

    'of a custom resource shows what its paths lead to': async (t) => {
      const widget = await widgets(t);
      const namespace = await t.namespace();
      const path = widget.in(namespace);
      (await t.post(path, widget.object('a', { spec: { size: 3 } }))).is(201);
      (await t.mergePatch(`${path}/a/status`, { status: { replicas: 2, selector: 'app=a' } })).is(200);
      (await t.get(`${path}/a/scale`)).is(
        200,
        exactly({
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: { name: 'a', namespace, uid, resourceVersion, creationTimestamp: timestamp },
          spec: { replicas: 3 },
          status: { replicas: 2, selector: 'app=a' },
        }),
      );
    },

    'of a custom resource can be put and patched': async (t) => {
      const widget = await widgets(t);
      const namespace = await t.namespace();
      const path = widget.in(namespace);
      (await t.post(path, widget.object('a', { spec: { size: 3 } }))).is(201);
      const body = {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'a', namespace },
        spec: { replicas: 4 },
      };
      (await t.put(`${path}/a/scale`, body)).is(200, { kind: 'Scale', spec: { replicas: 4 } });
      (await t.mergePatch(`${path}/a/scale`, { spec: { replicas: 5 } })).is(200, { spec: { replicas: 5 } });
      (await t.get(`${path}/a`)).is(200, { metadata: { generation: 3 }, spec: { size: 5 } });
    },

    'of a custom resource must satisfy its schema': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { size: 3 } }))).is(201);
      (await t.mergePatch(`${path}/a/scale`, { spec: { replicas: 9 } })).refuses(
        invalid(`Widget.${widget.group}`, 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 9: spec.size in body should be less than or equal to 5',
          field: 'spec.size',
        }),
      );
      (await t.mergePatch(`${path}/a/scale`, { spec: { replicas: -1 } })).refuses(
        invalid(
          `Widget.${widget.group}`,
          'a',
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -1: spec.size in body should be greater than or equal to 1',
            field: 'spec.size',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -1: should be a non-negative integer',
            field: '.spec.size',
          },
        ),
      );
    },

    'a custom resource without the subresource has no such path': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a'))).is(201);
      (await t.get(`${path}/a/scale`)).refuses(notFound(custom.crd, 'a'));
    },
  },
};
