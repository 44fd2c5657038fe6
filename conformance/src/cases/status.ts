/** generation, and the status subresource. */
import type { Area } from '../case.ts';
import { define, definition, widgets } from '../custom-resources.ts';
import { exactly } from '../match.ts';
import { configMap, deployment, pod } from '../objects.ts';
import { configMaps, deployments, pods, serviceAccounts } from '../paths.ts';
import { invalid, modified, noSuchResource, notFound, unchecked } from '../refusals.ts';

export const statusAndGeneration: Area = {
  name: 'status',
  proves: ['G1', 'G2'],
  cases: {
    'generation begins at 1 and grows with the spec, not with labels': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { size: 1 } }))).is(201, { metadata: { generation: 1 } });
      (await t.mergePatch(`${path}/a`, { metadata: { labels: { app: 'x' }, annotations: { a: 'b' } } })).is(200, {
        metadata: { generation: 1 },
      });
      (await t.mergePatch(`${path}/a`, { spec: { size: 2 } })).is(200, { metadata: { generation: 2 } });
    },

    'generation cannot be written': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', {}, { generation: 7 }))).is(201, { metadata: { generation: 1 } });
      (await t.mergePatch(`${path}/a`, { metadata: { generation: 7 } })).is(200, { metadata: { generation: 1 } });
    },

    'generation of a Deployment grows with its spec': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'), { query: { dryRun: 'All' } })).is(201, { metadata: { generation: 1 } });
      (await t.post(path, deployment('a'))).is(201, { metadata: { generation: 1 } });
      (await t.mergePatch(`${path}/a`, { metadata: { labels: { app: 'x' } } })).is(200, {
        metadata: { generation: 1 },
      });
      (await t.mergePatch(`${path}/a`, { spec: { replicas: 5 } })).is(200, { metadata: { generation: 2 } });
    },

    'a ConfigMap has no generation': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201, { metadata: { generation: undefined } });
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200, { metadata: { generation: undefined } });
    },

    'creation drops a status': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { status: { phase: 'Ready' } }))).is(201, { status: undefined });
    },

    'a PUT of the object ignores its status': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a', { spec: { size: 1 } }))).is(201);
      (await t.put(`${path}/a/status`, { ...created, status: { phase: 'Pending' } })).is(200);
      const now = (await t.get(`${path}/a`)).is(200);
      (await t.put(`${path}/a`, { ...now, spec: { size: 2 }, status: { phase: 'Ready' } })).is(200, {
        metadata: { generation: 2 },
        spec: { size: 2 },
        status: { phase: 'Pending' },
      });
    },

    'a PUT of the status changes nothing but the status': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a', { spec: { size: 1 } }, { labels: { app: 'x' } }))).is(201);
      const metadata = { ...created.metadata, labels: { app: 'y' }, annotations: { a: 'b' } };
      const body = { ...created, metadata, spec: { size: 4 }, status: { phase: 'Ready' } };
      (await t.put(`${path}/a/status`, body)).is(200, {
        metadata: { generation: 1, labels: exactly({ app: 'x' }), annotations: undefined },
        spec: { size: 1 },
        status: { phase: 'Ready' },
      });
    },

    'the status can be read and patched by itself': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { size: 3 } }))).is(201);
      const patched = (await t.mergePatch(`${path}/a/status`, { status: { phase: 'Ready' }, spec: { size: 5 } })).is(
        200,
        { metadata: { generation: 1 }, spec: { size: 3 }, status: { phase: 'Ready' } },
      );
      (await t.get(`${path}/a/status`)).is(200, exactly(patched));
      const operations = [{ op: 'replace', path: '/status/phase', value: 'Pending' }];
      (await t.jsonPatch(`${path}/a/status`, operations)).is(200, { status: { phase: 'Pending' } });
    },

    'a stale PUT of the status conflicts': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a'))).is(201);
      (await t.put(`${path}/a/status`, { ...created, status: { phase: 'Pending' } })).is(200);
      (await t.put(`${path}/a/status`, { ...created, status: { phase: 'Ready' } })).refuses(modified(widget.crd, 'a'));
    },

    'the status is validated': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a'))).is(201);
      (await t.mergePatch(`${path}/a/status`, { status: { phase: 'Lost' } })).refuses(
        invalid(
          `Widget.${widget.group}`,
          'a',
          {
            reason: 'FieldValueNotSupported',
            message: 'Unsupported value: "Lost": supported values: "Pending", "Ready"',
            field: 'status.phase',
          },
          unchecked,
        ),
      );
    },

    'the status of what does not exist is not found': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.get(`${path}/a/status`)).refuses(notFound(widget.crd, 'a'));
      (await t.mergePatch(`${path}/a/status`, { status: { phase: 'Ready' } })).refuses(notFound(widget.crd, 'a'));
    },

    'an update of the status is an event of the watch': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const { metadata } = (await t.post(path, widget.object('a'))).is(201);
      const watch = await t.watch(path, { resourceVersion: metadata.resourceVersion });
      (await t.mergePatch(`${path}/a/status`, { status: { phase: 'Ready' } })).is(200);
      await watch.next({ type: 'MODIFIED', object: { metadata: { generation: 1 }, status: { phase: 'Ready' } } });
    },

    'without the subresource there is no path, and the status counts as content': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', { status: { phase: 'Ready' } }))).is(201, { status: { phase: 'Ready' } });
      // Not an unknown path, as with built-in kinds: the object is what is missing.
      (await t.get(`${path}/a/status`)).refuses(notFound(custom.crd, 'a'));
      (await t.mergePatch(`${path}/a`, { status: { phase: 'Lost' } })).is(200, {
        metadata: { generation: 2 },
        status: { phase: 'Lost' },
      });
    },

    'ConfigMaps have none': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.get(`${path}/a/status`)).refuses(noSuchResource);
    },

    'a Deployment keeps spec and status apart': async (t) => {
      const path = deployments(await t.namespace());
      // Dry runs, because a controller, where there is one, writes the status too.
      const dryRun = { query: { dryRun: 'All' } };
      (await t.post(path, { ...deployment('a'), status: { replicas: 9 } }, dryRun)).is(201, { status: exactly({}) });
      (await t.post(path, deployment('a'))).is(201);
      const patch = { spec: { replicas: 8 }, status: { replicas: 9, observedGeneration: 1 } };
      (await t.mergePatch(`${path}/a/status`, patch, dryRun)).is(200, {
        metadata: { generation: 1 },
        spec: { replicas: 3 },
        status: { replicas: 9 },
      });
      (await t.mergePatch(`${path}/a`, patch, dryRun)).is(200, {
        metadata: { generation: 2 },
        spec: { replicas: 8 },
        status: { replicas: (value: unknown) => value !== 9 },
      });
    },

    'a pod begins as Pending, with its class of service': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      const body = { ...pod('a'), status: { phase: 'Running' } };
      (await t.post(pods(namespace), body)).is(201, { status: exactly({ phase: 'Pending', qosClass: 'BestEffort' }) });
    },

    'the conditions of a pod merge by type': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a'))).is(201);
      const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
      const path = `${pods(namespace)}/a/status`;
      (await t.strategicPatch(path, condition('Initialized', 'True'))).is(200);
      (await t.strategicPatch(path, condition('Ready', 'False'))).is(200);
      (await t.strategicPatch(path, condition('Ready', 'True'))).is(200, {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'Initialized', status: 'True' },
          ],
        },
      });
    },
  },
};
