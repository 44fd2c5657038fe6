/** Watches: where they begin, what they show, and how they end. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly, resourceVersion } from '../match.ts';
import { configMap, pod } from '../objects.ts';
import { configMaps, pods, serviceAccounts } from '../paths.ts';
import { type Cause, invalidListOptions } from '../refusals.ts';
import type { WatchEvent } from '../watch.ts';

/** Others may write into a namespace too; a case watches what carries this label. */
const ours = { labels: { ours: 'yes' } };
const selector = { labelSelector: 'ours=yes' };

function refused(query: Readonly<Record<string, string>>, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    (await t.get(configMaps('default'), { query: { watch: 'true', ...query } })).refuses(invalidListOptions(...causes));
  };
}

const tooOld = (version: string) =>
  exactly({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: new RegExp(`^too old resource version: ${version} \\(\\d+\\)$`),
    reason: 'Expired',
    code: 410,
  });

const versionOf = ({ object }: WatchEvent) => Number(object.metadata.resourceVersion);

export const watch: Area = {
  name: 'watch',
  proves: ['W1', 'W2', 'W3', 'W4', 'W5'],
  cases: {
    'without a resourceVersion it begins with what is there, in the order of the list, then follows': async (t) => {
      const path = configMaps(await t.namespace());
      for (const name of ['b', 'a']) (await t.post(path, configMap(name, {}, ours))).is(201);
      const watch = await t.watch(path, selector);
      watch.opened.has('content-type', 'application/json');
      await watch.next({ type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } } });
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      (await t.post(path, configMap('c', {}, ours))).is(201);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'c' } } });
    },

    'with resourceVersion 0 it begins with what is there': async (t) => {
      const path = configMaps(await t.freshNamespace());
      const created = (await t.post(path, configMap('a', {}, ours))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: 0 });
      await watch.next({ type: 'ADDED', object: created });
    },

    'with a resourceVersion it shows only what came after it': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const { metadata } = (await t.post(path, configMap('b', {}, ours))).is(201);
      const later = (await t.post(path, configMap('c', {}, ours))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: metadata.resourceVersion });
      await watch.next({ type: 'ADDED', object: later });
    },

    'with the resourceVersion of a list it misses nothing that was written after the list': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const listed = (await t.get(path)).is(200);
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200);
      (await t.delete(`${path}/a`)).is(200);
      const watch = await t.watch(path, { ...selector, resourceVersion: listed.metadata.resourceVersion });
      await watch.next({ type: 'MODIFIED', object: { metadata: { name: 'a' }, data: { key: '1' } } });
      await watch.next({ type: 'DELETED', object: { metadata: { name: 'a' }, data: { key: '1' } } });
    },

    'an event carries the object as the write answered it': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }, ours))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: created.metadata.resourceVersion });
      const changed = (await t.mergePatch(`${path}/a`, { data: { key: '2' } })).is(200);
      await watch.next({ type: 'MODIFIED', object: exactly(changed) });
    },

    'a DELETED event carries the last content with the resourceVersion of the deletion': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }, ours))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: created.metadata.resourceVersion });
      (await t.delete(`${path}/a`)).is(200);
      const { resourceVersion: before, ...rest } = created.metadata;
      const event = await watch.next({ type: 'DELETED', object: { metadata: rest, data: { key: '1' } } });
      watch.opened.judge(versionOf(event) > Number(before), true, 'a new resourceVersion');
    },

    'events come in the order of their resourceVersions, over all namespaces': async (t) => {
      const set = { labels: { set: t.name('set') } };
      const spaces = [await t.namespace(), await t.namespace()];
      const { metadata } = (await t.get('/api/v1/configmaps', { query: { limit: 1 } })).is(200);
      const watch = await t.watch('/api/v1/configmaps', {
        labelSelector: `set=${set.labels.set}`,
        resourceVersion: metadata.resourceVersion,
      });
      const written = await Promise.all(
        Array.from({ length: 10 }, (_, i) => t.post(configMaps(spaces[i % 2] ?? ''), configMap(`m${i}`, {}, set))),
      );
      let last = 0;
      for (const answer of written) {
        answer.is(201);
        const event = await watch.next({ type: 'ADDED' });
        watch.opened.judge(versionOf(event) > last, true, 'in order');
        last = versionOf(event);
      }
    },

    'of one object by metadata.name shows nothing of its neighbours': async (t) => {
      const path = configMaps(await t.namespace());
      for (const name of ['a', 'b']) (await t.post(path, configMap(name))).is(201);
      const watch = await t.watch(path, { fieldSelector: 'metadata.name=b' });
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200);
      (await t.mergePatch(`${path}/b`, { data: { key: '2' } })).is(200);
      await watch.next({ type: 'MODIFIED', object: { metadata: { name: 'b' }, data: { key: '2' } } });
    },

    'of a namespace that does not exist waits for it': async (t) => {
      const watch = await t.watch(configMaps(t.name('nowhere')), { timeoutSeconds: 1 });
      await watch.end();
    },

    'timeoutSeconds ends it': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const watch = await t.watch(path, { ...selector, timeoutSeconds: 1 });
      await watch.next({ type: 'ADDED' });
      await watch.end();
    },

    'an object that enters the label selector is ADDED': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: metadata.resourceVersion });
      const changed = (await t.mergePatch(`${path}/a`, { metadata: ours })).is(200);
      await watch.next({ type: 'ADDED', object: exactly(changed) });
    },

    'an object that leaves the label selector is DELETED, as it was before, with the new resourceVersion': async (
      t,
    ) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }, ours))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: created.metadata.resourceVersion });
      const patch = { metadata: { labels: null }, data: { key: '2' } };
      const changed = (await t.mergePatch(`${path}/a`, patch)).is(200);
      await watch.next({
        type: 'DELETED',
        object: exactly({
          ...created,
          metadata: { ...created.metadata, resourceVersion: changed.metadata.resourceVersion },
        }),
      });
    },

    'an object outside the label selector is not seen, nor is its deletion': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      const watch = await t.watch(path, { ...selector, resourceVersion: metadata.resourceVersion });
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200);
      (await t.delete(`${path}/a`)).is(200);
      (await t.post(path, configMap('sentinel', {}, ours))).is(201);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'sentinel' } } });
    },

    'an object that leaves and enters a field selector is DELETED and ADDED': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const created = (await t.post(widget.in(namespace), widget.object('a', { spec: { color: 'red' } }))).is(201);
      const watch = await t.watch(widget.in(namespace), { fieldSelector: 'spec.color=red' });
      await watch.next({ type: 'ADDED', object: created });
      (await t.mergePatch(`${widget.in(namespace)}/a`, { spec: { color: 'blue' } })).is(200);
      await watch.next({ type: 'DELETED', object: { spec: { color: 'red' } } });
      (await t.mergePatch(`${widget.in(namespace)}/a`, { spec: { color: 'red' } })).is(200);
      await watch.next({ type: 'ADDED', object: { spec: { color: 'red' }, metadata: { generation: 3 } } });
    },

    'pods are followed by their node': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      const watch = await t.watch(pods(namespace), { fieldSelector: 'spec.nodeName=conformance' });
      (await t.post(pods(namespace), pod('waiting'))).is(201);
      (await t.post(pods(namespace), pod('placed', { nodeName: 'conformance' }))).is(201);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'placed' } } });
    },

    'WatchList sends what is there, then a bookmark that says so, then what follows': async (t) => {
      const path = configMaps(await t.namespace());
      for (const name of ['a', 'b']) (await t.post(path, configMap(name, {}, ours))).is(201);
      const watch = await t.watch(path, {
        ...selector,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      const last = await watch.next({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      const bookmark = await watch.next({
        type: 'BOOKMARK',
        object: exactly({
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
        }),
      });
      watch.opened.judge(versionOf(bookmark) >= versionOf(last), true, 'the bookmark covers what was sent');
      (await t.post(path, configMap('c', {}, ours))).is(201);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'c' } } });
    },

    'WatchList of custom resources ends its beginning with a bookmark of their kind': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      (await t.post(widget.in(namespace), widget.object('a'))).is(201);
      const watch = await t.watch(widget.in(namespace), {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      await watch.next({
        type: 'BOOKMARK',
        object: exactly({
          kind: 'Widget',
          apiVersion: widget.apiVersion,
          metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
        }),
      });
    },

    'WatchList of nothing sends its bookmark at once': async (t) => {
      const watch = await t.watch(configMaps(await t.namespace()), {
        ...selector,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      await watch.next({ type: 'BOOKMARK' });
    },

    'a watch that resumes at a bookmark misses nothing': async (t) => {
      const path = configMaps(await t.namespace());
      const first = await t.watch(path, {
        ...selector,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      const bookmark = await first.next({ type: 'BOOKMARK' });
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const second = await t.watch(path, { ...selector, resourceVersion: bookmark.object.metadata.resourceVersion });
      await second.next({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    },

    // The server takes a watch from nowhere or 0 that allows bookmarks for a WatchList.
    'a watch from resourceVersion 0 that allows bookmarks gets one after the beginning': async (t) => {
      const path = configMaps(await t.freshNamespace());
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const query = { ...selector, resourceVersion: 0 };
      await t.eventually(async () => (await t.get(path, { query })).is(200, { items: [{}] }));
      const watch = await t.watch(path, { ...selector, resourceVersion: 0, allowWatchBookmarks: true });
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      await watch.next({
        type: 'BOOKMARK',
        object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      });
    },

    // Two seconds before its end, so that a client can go on from there.
    'a watch with a timeout that allows bookmarks gets one before it ends': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a', {}, ours))).is(201);
      (await t.post(path, configMap('b'))).is(201);
      const watch = await t.watch(path, {
        ...selector,
        resourceVersion: metadata.resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds: 3,
      });
      const bookmark = await watch.next({
        type: 'BOOKMARK',
        object: exactly({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } }),
      });
      watch.opened.judge(versionOf(bookmark) > Number(metadata.resourceVersion), true, 'further than it began');
      await watch.end();
    },

    'sendInitialEvents=false follows from now without the beginning': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, ours))).is(201);
      const watch = await t.watch(path, {
        ...selector,
        sendInitialEvents: false,
        resourceVersionMatch: 'NotOlderThan',
      });
      (await t.post(path, configMap('b', {}, ours))).is(201);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    },

    'a WatchList at a resourceVersion that is still to come ends with a timeout event': async (t) => {
      const watch = await t.watch(configMaps(await t.namespace()), {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        resourceVersion: '999999999999',
      });
      await watch.next({
        type: 'ERROR',
        object: exactly({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: /^Timeout: Too large resource version: 999999999999, current: \d+$/,
          reason: 'Timeout',
          details: {
            causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            retryAfterSeconds: 1,
          },
          code: 504,
        }),
      });
      await watch.end();
    },

    'sendInitialEvents without resourceVersionMatch is refused': refused(
      { sendInitialEvents: 'true' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        field: 'resourceVersionMatch',
      },
    ),

    'sendInitialEvents with an exact match is refused, with two causes': refused(
      { sendInitialEvents: 'true', resourceVersionMatch: 'Exact', resourceVersion: '1' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        field: 'resourceVersionMatch',
      },
      {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Exact": supported values: "NotOlderThan"',
        field: 'resourceVersionMatch',
      },
    ),

    'resourceVersionMatch without sendInitialEvents is refused': refused(
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        field: 'resourceVersionMatch',
      },
    ),

    'a field selector that is not offered is a bad request': async (t) => {
      const query = { watch: true, fieldSelector: 'data.key=1' };
      (await t.get(configMaps('default'), { query })).refuses({
        code: 400,
        reason: 'BadRequest',
        message: '"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"',
      });
    },

    // An internal error: the number is read only below the layer that knows bad requests.
    'a resourceVersion that is no number is an internal error': async (t) => {
      (await t.get(configMaps('default'), { query: { watch: true, resourceVersion: 'abc' } })).refuses({
        code: 500,
        reason: undefined,
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },

    'a resourceVersion from before the kind was defined is expired, which an event says': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const watch = await t.watch(widget.in(namespace), { resourceVersion: 1 });
      await watch.next({ type: 'ERROR', object: tooOld('1') });
      await watch.end();
    },

    'a forgotten resourceVersion is expired, which an event says': {
      needs: 'compaction',
      async proof(t) {
        const path = configMaps(await t.namespace());
        const { metadata } = (await t.post(path, configMap('a'))).is(201);
        (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200);
        await t.session.compact?.();
        const watch = await t.watch(path, { resourceVersion: metadata.resourceVersion });
        await watch.next({ type: 'ERROR', object: tooOld(metadata.resourceVersion) });
        await watch.end();
      },
    },
  },
};
