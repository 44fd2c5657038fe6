/** Updates by PUT: optimistic locking, creation by PUT, and what may not change. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly } from '../match.ts';
import { configMap, lease } from '../objects.ts';
import { configMaps, leases, podDisruptionBudgets, roles, services } from '../paths.ts';
import { badRequest, conflict, invalid, modified, notFound } from '../refusals.ts';

const versionRequired = {
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0: must be specified for an update',
  field: 'metadata.resourceVersion',
};
const immutable = (field: string) => ({
  reason: 'FieldValueForbidden',
  message: 'Forbidden: field is immutable when `immutable` is set',
  field,
});

export const update: Area = {
  name: 'update',
  proves: ['C2', 'C3', 'C4', 'E1'],
  cases: {
    'replaces what the body names and drops what it does not': async (t) => {
      const path = configMaps(await t.namespace());
      const before = configMap('a', { one: '1', two: '2' }, { labels: { app: 'x' }, annotations: { note: 'y' } });
      const created = (await t.post(path, before)).is(201);
      const body = configMap('a', { two: '3' }, { resourceVersion: created.metadata.resourceVersion });
      (await t.put(`${path}/a`, body)).is(200, {
        metadata: { uid: created.metadata.uid, labels: undefined, annotations: undefined },
        data: exactly({ two: '3' }),
      });
    },

    'a stale resourceVersion conflicts': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      (await t.put(`${path}/a`, configMap('a', { key: '2' }))).is(200);
      (await t.put(`${path}/a`, { ...created, data: { key: '3' } })).refuses(modified('configmaps', 'a'));
      (await t.get(`${path}/a`)).is(200, { data: { key: '2' } });
    },

    'a stale resourceVersion of a custom resource conflicts': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a', { spec: { size: 1 } }))).is(201);
      (await t.put(`${path}/a`, { ...created, spec: { size: 2 } })).is(200);
      (await t.put(`${path}/a`, { ...created, spec: { size: 3 } })).refuses(modified(widget.crd, 'a'));
    },

    'another uid conflicts': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const other = '00000000-0000-4000-8000-000000000000';
      const answer = await t.put(`${path}/a`, configMap('a', { key: '2' }, { uid: other }));
      // The words name the storage's key, which is nobody's business.
      const why = `Precondition failed: UID in precondition: ${other}, UID in object meta: ${created.metadata.uid}`;
      const { message: _, ...rest } = conflict('configmaps', 'a', why);
      const start = 'Operation cannot be fulfilled on configmaps "a": ';
      answer.refuses({
        ...rest,
        message: (text: unknown) => typeof text === 'string' && text.startsWith(start) && text.endsWith(why),
      });
    },

    'a ConfigMap may be replaced without a resourceVersion': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }))).is(201);
      (await t.put(`${path}/a`, configMap('a', { key: '2' }))).is(200, { data: { key: '2' } });
    },

    'a custom resource may not be replaced without a resourceVersion': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a'))).is(201);
      // Not the Kind, as in other refusals of this sort: the resource.
      (await t.put(`${path}/a`, widget.object('a'))).refuses(invalid(widget.crd, 'a', versionRequired));
    },

    'a Lease may not be replaced without a resourceVersion': async (t) => {
      const path = leases(await t.namespace());
      (await t.post(path, lease('a'))).is(201);
      (await t.put(`${path}/a`, lease('a', { holderIdentity: 'me' }))).refuses(
        invalid('leases.coordination.k8s.io', 'a', versionRequired),
      );
    },

    'a PodDisruptionBudget may not be replaced without a resourceVersion': async (t) => {
      const path = podDisruptionBudgets(await t.namespace());
      const budget = { metadata: { name: 'a' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } };
      (await t.post(path, budget)).is(201);
      (await t.put(`${path}/a`, budget)).refuses(invalid('poddisruptionbudgets.policy', 'a', versionRequired));
    },

    'a ConfigMap that does not exist is not found': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.put(`${path}/a`, configMap('a'))).refuses(notFound('configmaps', 'a'));
    },

    'a custom resource that does not exist is not found': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.put(`${path}/a`, widget.object('a'))).refuses(notFound(widget.crd, 'a'));
    },

    'a Lease that does not exist is created': async (t) => {
      const path = leases(await t.namespace());
      const answer = await t.put(`${path}/a`, lease('a', { holderIdentity: 'me' }));
      answer.is(201, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } });
    },

    'a Service that does not exist is created': async (t) => {
      const path = services(await t.namespace());
      const answer = await t.put(`${path}/a`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
      answer.is(201, { metadata: { name: 'a' } });
    },

    'a Role that does not exist is created': async (t) => {
      const path = roles(await t.namespace());
      const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
      (await t.put(`${path}/a`, { metadata: { name: 'a' }, rules })).is(201, { metadata: { name: 'a' }, rules });
    },

    'the name in the body must be that of the path': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, configMap('b'))).refuses(
        badRequest('the name of the object (b) does not match the name on the URL (a)'),
      );
    },

    'the body must have a name': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, { metadata: {} })).refuses(
        badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
      );
    },

    'the namespace in the body must be that of the path': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, configMap('a', {}, { namespace: 'another' }))).refuses(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
    },

    'creationTimestamp stays as it was': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a'))).is(201);
      const forged = { creationTimestamp: '2001-01-01T00:00:00Z' };
      (await t.put(`${path}/a`, configMap('a', { key: '1' }, forged))).is(200, {
        metadata: { uid: created.metadata.uid, creationTimestamp: created.metadata.creationTimestamp },
      });
    },

    'deletionTimestamp cannot be set': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const forged = { deletionTimestamp: '2001-01-01T00:00:00Z' };
      // Metadata is validated twice for built-in kinds, so each cause comes twice; the message says it once.
      const cause = {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "2001-01-01T00:00:00Z": field is immutable',
        field: 'metadata.deletionTimestamp',
      };
      const answer = await t.put(`${path}/a`, configMap('a', { key: '1' }, forged));
      answer.refuses(invalid('ConfigMap', 'a', cause, cause));
    },

    'an immutable ConfigMap keeps its data and its immutability': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, { ...configMap('a', { key: '1' }), immutable: true })).is(201);
      const changed = { ...configMap('a', { key: '2' }), immutable: true };
      (await t.put(`${path}/a`, changed)).refuses(invalid('ConfigMap', 'a', immutable('data')));
      (await t.put(`${path}/a`, configMap('a', { key: '1' }))).refuses(
        invalid('ConfigMap', 'a', immutable('immutable')),
      );
      (await t.mergePatch(`${path}/a`, { metadata: { labels: { app: 'x' } } })).is(200);
    },

    'an invalid new state is refused and changes nothing': async (t) => {
      const path = leases(await t.namespace());
      const created = (await t.post(path, lease('a', { leaseDurationSeconds: 5 }))).is(201);
      const bad = { ...created, spec: { leaseDurationSeconds: 0 } };
      (await t.put(`${path}/a`, bad)).refuses(
        invalid('Lease.coordination.k8s.io', 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: must be greater than 0',
          field: 'spec.leaseDurationSeconds',
        }),
      );
      (await t.get(`${path}/a`)).is(200, created);
    },

    'concurrent updates by resourceVersion lose none': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { count: '0' }))).is(201);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, i) => t.put(`${path}/a`, { ...created, data: { count: `${i + 1}` } })),
      );
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ status }) => status === 409);
      (won[0] ?? lost[0])?.judge([won.length, lost.length], [1, 4], 'won and lost');
    },
  },
};
