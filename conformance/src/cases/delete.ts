/** Deletion: its answers, finalizers, preconditions, propagation, grace, and collections. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly, timestamp } from '../match.ts';
import { configMap, deployment, lease, pod, service } from '../objects.ts';
import { configMaps, deployments, leases, pods, serviceAccounts, services } from '../paths.ts';
import { badRequest, type Cause, conflict, invalid, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const success = (details: Readonly<Record<string, unknown>>) =>
  exactly({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });

/** Options that are refused, and nothing is deleted. */
function refused(options: Readonly<Record<string, unknown>>, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const path = configMaps(await t.namespace());
    (await t.post(path, configMap('a'))).is(201);
    const answer = await t.delete(`${path}/a`, { body: options });
    answer.refuses(invalid('DeleteOptions.meta.k8s.io', '', ...causes));
    (await t.get(`${path}/a`)).is(200);
  };
}

/** The path of a new pod that a node is responsible for. */
async function placedPod(t: Trial, spec: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const namespace = await t.namespace();
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  (await t.post(pods(namespace), pod('a', { nodeName: 'conformance', ...spec }))).is(201);
  return `${pods(namespace)}/a`;
}

export const deletion: Area = {
  name: 'delete',
  proves: ['D1', 'D2', 'D3', 'D4', 'G1'],
  cases: {
    'the options may leave out what they are, and be nothing at all': async (t) => {
      const path = configMaps(await t.namespace());
      // They replace those of the query, a wish for a dry run with them.
      const query = { dryRun: 'All' };
      for (const body of ['{"kind":""}', '{"kind":null}', '{}', 'null']) {
        (await t.post(path, configMap('a'))).is(201);
        (await t.delete(`${path}/a`, { body, query })).is(200);
        (await t.get(`${path}/a`)).is(404);
      }
      (await t.delete(`${path}/a`, { body: '{"kind":"ConfigMap"}', query })).is(400);
    },

    'options in protobuf that are none are a bad request': async (t) => {
      const path = configMaps(await t.namespace());
      const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
      (await t.delete(`${path}/a`, { body: '{}', headers })).refuses(
        badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'),
      );
    },

    'answers Success with name, resource and uid': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const answer = await t.delete(`${path}/a`);
      answer.is(200, success({ name: 'a', kind: 'configmaps', uid: metadata.uid }));
      (await t.get(`${path}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'answers Success with the group for kinds that have one': async (t) => {
      const namespace = await t.namespace();
      const { metadata } = (await t.post(leases(namespace), lease('a'))).is(201);
      const details = { name: 'a', group: 'coordination.k8s.io', kind: 'leases', uid: metadata.uid };
      (await t.delete(`${leases(namespace)}/a`)).is(200, success(details));
    },

    'answers Success for custom resources': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const { metadata } = (await t.post(path, widget.object('a'))).is(201);
      const details = { name: 'a', group: widget.group, kind: 'widgets', uid: metadata.uid };
      (await t.delete(`${path}/a`)).is(200, success(details));
    },

    'answers with the object and a new resourceVersion for Services and ServiceAccounts': async (t) => {
      const namespace = await t.namespace();
      for (const [path, body] of [
        [services(namespace), service('a')],
        [serviceAccounts(namespace), { metadata: { name: 'a' } }],
      ] as const) {
        const { metadata, ...made } = (await t.post(path, body)).is(201);
        const { resourceVersion: before, ...rest } = metadata;
        const deleted = await t.delete(`${path}/a`);
        deleted.is(200, { ...made, metadata: rest });
        const grew = Number(deleted.body.metadata.resourceVersion) > Number(before);
        deleted.judge(grew, true, 'the resourceVersion of the deletion');
      }
    },

    'of what does not exist is not found': async (t) => {
      const namespace = await t.namespace();
      (await t.delete(`${configMaps(namespace)}/a`)).refuses(notFound('configmaps', 'a'));
      (await t.delete(`${deployments(namespace)}/a`)).refuses(notFound('deployments.apps', 'a'));
    },

    'of what has a finalizer answers with the object, marked': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const answer = await t.delete(`${path}/a`);
      answer.is(200, {
        kind: 'ConfigMap',
        metadata: {
          uid: created.metadata.uid,
          finalizers: ['example.com/a'],
          deletionTimestamp: timestamp,
          deletionGracePeriodSeconds: 0,
        },
      });
      (await t.get(`${path}/a`)).is(200, exactly(answer.body));
    },

    'again of what waits for a finalizer changes nothing': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const first = (await t.delete(`${path}/a`)).is(200);
      (await t.delete(`${path}/a`)).is(200, exactly(first));
    },

    'of a custom resource with a finalizer raises its generation': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const marked = { generation: 2, deletionTimestamp: timestamp, deletionGracePeriodSeconds: 0 };
      (await t.delete(`${path}/a`)).is(200, { kind: 'Widget', metadata: marked });
    },

    'ends when the last finalizer is removed': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a', 'example.com/b'] }))).is(201);
      const watch = await t.watch(path, { fieldSelector: 'metadata.name=a' });
      await watch.next({ type: 'ADDED' });
      (await t.delete(`${path}/a`)).is(200);
      await watch.next({ type: 'MODIFIED', object: { metadata: { deletionTimestamp: timestamp } } });
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: ['example.com/b'] } })).is(200);
      await watch.next({ type: 'MODIFIED', object: { metadata: { finalizers: ['example.com/b'] } } });
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: null } })).is(200, {
        metadata: { name: 'a', finalizers: undefined },
      });
      await watch.next({ type: 'DELETED', object: { metadata: { name: 'a' } } });
      (await t.get(`${path}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'a PUT without finalizers ends it too': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const marked = (await t.delete(`${path}/a`)).is(200);
      // Nothing is stored, so the resourceVersion stays.
      (await t.put(`${path}/a`, configMap('a'))).is(200, {
        metadata: { resourceVersion: marked.metadata.resourceVersion, finalizers: undefined },
      });
      (await t.get(`${path}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'no finalizer can be added to what is being deleted': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${path}/a`)).is(200);
      const cause = {
        reason: 'FieldValueForbidden',
        message:
          'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}',
        field: 'metadata.finalizers',
      };
      const patch = { metadata: { finalizers: ['example.com/a', 'example.com/b'] } };
      // Metadata of built-in kinds is validated twice: two causes, one message.
      (await t.mergePatch(`${path}/a`, patch)).refuses(invalid('ConfigMap', 'a', cause, cause));
    },

    'what is being deleted can still be changed': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const { metadata } = (await t.delete(`${path}/a`)).is(200);
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200, {
        metadata: { deletionTimestamp: metadata.deletionTimestamp },
        data: { key: '1' },
      });
    },

    'a name is taken until the deletion has ended': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${path}/a`)).is(200);
      (await t.post(path, configMap('a'))).refuses({
        code: 409,
        reason: 'AlreadyExists',
        message: 'object is being deleted: configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      });
    },

    'with another uid conflicts': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const other = '00000000-0000-4000-8000-000000000000';
      const answer = await t.delete(`${path}/a`, { body: { preconditions: { uid: other } } });
      const why = `the UID in the precondition (${other}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
      // The Kind, not the resource, as in other conflicts.
      answer.refuses(conflict('ConfigMap', 'a', why));
    },

    'with another resourceVersion conflicts': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const answer = await t.delete(`${path}/a`, { body: { preconditions: { resourceVersion: '5' } } });
      const why = `the ResourceVersion in the precondition (5) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
      answer.refuses(conflict('ConfigMap', 'a', why));
    },

    'with another uid conflicts for custom resources': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const { metadata } = (await t.post(path, widget.object('a'))).is(201);
      const other = '00000000-0000-4000-8000-000000000000';
      const answer = await t.delete(`${path}/a`, { body: { preconditions: { uid: other } } });
      const why = `the UID in the precondition (${other}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
      answer.refuses(conflict(`Widget.${widget.group}`, 'a', why));
    },

    'with the right uid and resourceVersion goes through': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
      (await t.delete(`${path}/a`, { body: { preconditions } })).is(200);
    },

    // Only the answers are judged: where controllers run, they let the objects go at once.
    'in the foreground waits for a finalizer of the garbage collector': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.delete(`${path}/a`, { body: { propagationPolicy: 'Foreground' } })).is(200, {
        kind: 'ConfigMap',
        metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: timestamp, deletionGracePeriodSeconds: 0 },
      });
    },

    'in the foreground may be asked for in the query': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a'))).is(201);
      (await t.delete(`${path}/a`, { query: { propagationPolicy: 'Foreground' } })).is(200, {
        kind: 'Widget',
        metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: timestamp, generation: 2 },
      });
    },

    'that orphans dependents waits for a finalizer of the garbage collector': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      (await t.delete(`${path}/a`, { body: { propagationPolicy: 'Orphan' } })).is(200, {
        kind: 'Deployment',
        metadata: { finalizers: ['orphan'], deletionTimestamp: timestamp, deletionGracePeriodSeconds: 0 },
      });
    },

    'in the background removes at once': async (t) => {
      const path = deployments(await t.namespace());
      const { metadata } = (await t.post(path, deployment('a'))).is(201);
      const details = { name: 'a', group: 'apps', kind: 'deployments', uid: metadata.uid };
      (await t.delete(`${path}/a`, { body: { propagationPolicy: 'Background' } })).is(200, success(details));
      (await t.get(`${path}/a`)).refuses(notFound('deployments.apps', 'a'));
    },

    'options of an apiVersion and kind are accepted': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      (await t.delete(`${path}/a`, { body })).is(200);
    },

    'propagationPolicy and orphanDependents exclude each other': refused(
      { propagationPolicy: 'Orphan', orphanDependents: true },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        field: 'propagationPolicy',
      },
    ),

    'an unknown propagationPolicy is refused': refused(
      { propagationPolicy: 'Sideways' },
      {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
        field: 'propagationPolicy',
      },
    ),

    'a grace period that is no number is a bad request': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const query = { gracePeriodSeconds: 'long' };
      (await t.delete(`${path}/a`, { query })).refuses(badRequest('strconv.ParseInt: parsing "long": invalid syntax'));
    },

    'options that cannot be read are a bad request': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.delete(`${path}/a`, { body: 'nonsense' })).refuses(
        badRequest(/^couldn't get version\/kind; json parse error: /),
      );
      (await t.get(`${path}/a`)).is(200);
    },

    'a pod without a node goes at once, and the answer is the pod': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a'))).is(201);
      (await t.delete(`${pods(namespace)}/a`)).is(200, { kind: 'Pod', metadata: { name: 'a' } });
      (await t.get(`${pods(namespace)}/a`)).refuses(notFound('pods', 'a'));
    },

    'a pod on a node stays for its grace period': async (t) => {
      const path = await placedPod(t);
      const answer = await t.delete(path);
      const { metadata } = answer.is(200, {
        kind: 'Pod',
        metadata: { deletionTimestamp: timestamp, deletionGracePeriodSeconds: 30 },
      });
      (await t.get(path)).is(200, { metadata: { deletionGracePeriodSeconds: 30 } });
      const untilMs = Date.parse(metadata.deletionTimestamp ?? '') - Date.parse(metadata.creationTimestamp);
      answer.judge(untilMs >= 30_000 && untilMs <= 60_000, true, 'deletionTimestamp lies one grace period ahead');
    },

    'a pod says its own grace period, and the request overrides it': async (t) => {
      const path = await placedPod(t, { terminationGracePeriodSeconds: 50 });
      (await t.delete(path, { query: { dryRun: 'All' } })).is(200, { metadata: { deletionGracePeriodSeconds: 50 } });
      (await t.delete(path, { body: { gracePeriodSeconds: 20 } })).is(200, {
        metadata: { deletionGracePeriodSeconds: 20 },
      });
    },

    'a second deletion may shorten the grace period but not extend it': async (t) => {
      const path = await placedPod(t);
      const first = (await t.delete(path, { body: { gracePeriodSeconds: 40 } })).is(200);
      (await t.delete(path, { body: { gracePeriodSeconds: 60 } })).is(200, exactly(first));
      const shorter = (await t.delete(path, { body: { gracePeriodSeconds: 10 } })).is(200, {
        metadata: { deletionGracePeriodSeconds: 10 },
      });
      (await t.get(path)).judge(
        Date.parse(shorter.metadata.deletionTimestamp ?? '') < Date.parse(first.metadata.deletionTimestamp ?? ''),
        true,
        'sooner',
      );
    },

    'grace period 0 removes a pod on a node at once': async (t) => {
      const path = await placedPod(t);
      (await t.delete(path)).is(200);
      (await t.delete(path, { body: { gracePeriodSeconds: 0 } })).is(200, { kind: 'Pod' });
      (await t.get(path)).refuses(notFound('pods', 'a'));
    },

    'of a collection removes what the selector selects and answers with a list of it': async (t) => {
      const path = configMaps(await t.namespace());
      for (const [name, app] of Object.entries({ a: 'x', b: 'y', c: 'x' })) {
        (await t.post(path, configMap(name, {}, { labels: { app } }))).is(201);
      }
      (await t.delete(path, { query: { labelSelector: 'app=x' } })).is(200, {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }],
      });
      (await t.get(path, { query: { labelSelector: 'app' } })).is(200, { items: [{ metadata: { name: 'b' } }] });
    },

    'of a collection with a selector that cannot be read removes nothing': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.delete(path, { query: { labelSelector: 'a in b' } })).refuses(
        badRequest("unable to parse requirement: found 'b' expected: '('"),
      );
      (await t.get(`${path}/a`)).is(200);
    },

    'of a collection, dry, answers with the list and removes nothing': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { labels: { app: 'x' } }))).is(201);
      const query = { dryRun: 'All', labelSelector: 'app=x' };
      (await t.delete(path, { query })).is(200, { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] });
      (await t.get(`${path}/a`)).is(200, { metadata: { deletionTimestamp: undefined } });
    },

    // The answer lists the objects as they were; what became of them the watch tells.
    'of a collection may be in the foreground': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a'))).is(201);
      const watch = await t.watch(path, { resourceVersion: created.metadata.resourceVersion });
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' };
      (await t.delete(path, { body })).is(200, { items: [exactly(created)] });
      await watch.next({
        type: 'MODIFIED',
        object: { metadata: { name: 'a', finalizers: ['foregroundDeletion'], deletionTimestamp: timestamp } },
      });
    },

    'of a collection of custom resources respects finalizers': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.post(path, widget.object('b'))).is(201);
      (await t.delete(path)).is(200, { kind: 'WidgetList' });
      (await t.get(path)).is(200, { items: [{ metadata: { name: 'a', deletionTimestamp: timestamp } }] });
    },
  },
};
