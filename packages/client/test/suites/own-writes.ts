/** Reads see own writes, on any server: the watch is held back, and every read must show what was written all the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConflict, isNotFound, keyOf, metadataOf, type Transport } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import {
  type Client,
  connect,
  createClient,
  createSharedInformers,
  type SharedInformerOptions,
  type SharedInformers,
  setScale,
} from '../../src/index.ts';
import { holdable } from '../holdable.ts';
import { until } from '../until.ts';
import type { Offer, Server } from './server.ts';

const namespace = 'own-writes';
const byColor = ({ data }: ConfigMap) => [data?.color ?? 'none'];

export function describeOwnWrites(offer: Offer): void {
  describe(`own writes on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;
    let client: Client;

    before(async () => {
      server = await offer.start();
      transport = connect(server.config);
      client = createClient({ transport, fieldManager: 'own-writes' });
      await client.create(Namespace, { metadata: { name: namespace } });
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    /** Informers whose watches can be held, and a client that is bound to them. */
    function bind(): Bound {
      const watches = holdable(transport);
      const informers = createSharedInformers({
        client: createClient({ transport: watches, clock: server.clock }),
        clock: server.clock,
        onError: () => {},
      });
      return {
        informers,
        client: client.with({ onWritten: (write) => informers.overlay(write) }),
        hold: () => watches.hold(),
        release: () => watches.release(),
        async [Symbol.asyncDispose]() {
          watches.release();
          await informers[Symbol.asyncDispose]();
        },
      };
    }

    /** One ConfigMap, known to a store whose watch is then held, and what every way of reading shows of it. */
    async function given(name: string, options: SharedInformerOptions<ConfigMap> = {}) {
      const bound = bind();
      const { store, synced, subscribe } = watchConfigMaps(bound.informers, options);
      const key = `${namespace}/${name}`;
      const metadata = { name, namespace, labels: { test: name } };
      await synced;
      await client.create(ConfigMap, { metadata, data: { color: 'red' } });
      await until(() => store.get(key) !== undefined);
      const heard: string[] = [];
      // Of this object alone: a cluster puts ConfigMaps of its own into a new namespace.
      subscribe(({ type, object }) => void (keyOf(object) === key && heard.push(type)));
      heard.length = 0;
      bound.hold();
      return {
        ...bound,
        key,
        metadata,
        store,
        heard,
        /** The colour by key, by list, and how many are found under it. */
        shown() {
          const color = store.get(key)?.data?.color;
          const listed = store.list({ namespace, labels: { test: name } }).map(({ data }) => data?.color);
          assert.deepEqual(listed, color === undefined ? [] : [color], 'a list shows what a get does');
          const found = ['red', 'blue'].filter((each) =>
            store.byIndex('color', each).some((object) => keyOf(object) === key),
          );
          assert.deepEqual(found, color === undefined ? [] : [color], 'and so does an index');
          return color;
        },
      };
    }

    const verbs: Readonly<Record<string, (client: Client, key: string, live: ConfigMap) => Promise<unknown>>> = {
      update: (bound, _, live) => bound.update(ConfigMap, { ...live, data: { color: 'blue' } }),
      'a merge patch': (bound, key) => bound.patch(ConfigMap, key, { data: { color: 'blue' } }),
      'a JSON patch': (bound, key) =>
        bound.patch(ConfigMap, key, [{ op: 'replace', path: '/data/color', value: 'blue' }]),
      'a strategic patch': (bound, key) =>
        bound.patch(ConfigMap, key, { data: { color: 'blue' } }, { type: 'strategic' }),
      apply: (bound, _, { metadata: { name, labels } }) =>
        bound.apply(ConfigMap, { metadata: { name, namespace, labels }, data: { color: 'blue' } }, { force: true }),
      'a patch by the name of the kind': (bound, key) =>
        bound.patch({ group: '', version: 'v1', kind: 'ConfigMap' }, key, { data: { color: 'blue' } }),
    };
    for (const [verb, write] of Object.entries(verbs)) {
      test(`${verb} is seen by every read while the watch is behind, and heard when it comes`, async () => {
        const name = verb.toLowerCase().replaceAll(' ', '-');
        await using cache = await given(name);
        await write(cache.client, cache.key, await client.get(ConfigMap, cache.key));
        assert.equal(cache.shown(), 'blue');
        assert.deepEqual(cache.heard, []);
        cache.release();
        await until(() => cache.heard.includes('updated'));
        assert.equal(cache.shown(), 'blue');
      });
    }

    test('create and delete are seen while the watch is behind, one after the other', async () => {
      await using cache = await given('again');
      await cache.client.delete(ConfigMap, cache.key);
      assert.equal(cache.shown(), undefined);
      await cache.client.create(ConfigMap, { metadata: cache.metadata, data: { color: 'blue' } });
      assert.equal(cache.shown(), 'blue');
      await cache.client.delete(ConfigMap, cache.key);
      assert.equal(cache.shown(), undefined);
      await cache.client.create(ConfigMap, { metadata: cache.metadata, data: { color: 'red' } });
      assert.equal(cache.shown(), 'red');
      assert.deepEqual(cache.heard, []);
      cache.release();
      await until(() => cache.heard.length === 4);
      assert.deepEqual(cache.heard, ['deleted', 'added', 'deleted', 'added']);
      assert.equal(cache.shown(), 'red');
    });

    const late: Readonly<Record<string, (client: Client, key: string, known: ConfigMap) => Promise<unknown>>> = {
      delete: (bound, key, { metadata: { uid } }) => bound.delete(ConfigMap, key, { preconditions: { uid } }),
      patch: (bound, key, { metadata: { uid } }) => bound.patch(ConfigMap, key, { metadata: { uid } }),
    };
    for (const [verb, write] of Object.entries(late)) {
      test(`an object that someone else deleted is hidden once a ${verb} of it finds it gone`, async () => {
        await using cache = await given(`gone-${verb}`);
        const known = cache.store.get(cache.key);
        assert.ok(known);
        await client.delete(ConfigMap, cache.key);
        assert.equal(cache.shown(), 'red', 'the watch is behind');
        await assert.rejects(write(cache.client, cache.key, known), isNotFound);
        assert.equal(cache.shown(), undefined);
      });
    }

    test('a delete that waits for finalizers shows the object as it waits', async () => {
      await using cache = await given('waits');
      await cache.client.patch(ConfigMap, cache.key, { metadata: { finalizers: ['example.com/wait'] } });
      await cache.client.delete(ConfigMap, cache.key);
      assert.ok(cache.store.get(cache.key)?.metadata.deletionTimestamp);
      await cache.client.patch(ConfigMap, cache.key, { metadata: { finalizers: null } });
    });

    test('the write that takes the last finalizer of a deleted object hides it', async () => {
      await using cache = await given('let-go');
      await cache.client.patch(ConfigMap, cache.key, { metadata: { finalizers: ['example.com/a', 'example.com/b'] } });
      await cache.client.delete(ConfigMap, cache.key);
      await cache.client.patch(ConfigMap, cache.key, { metadata: { finalizers: ['example.com/b'] } });
      assert.deepEqual(cache.store.get(cache.key)?.metadata.finalizers, ['example.com/b']);
      await cache.client.patch(ConfigMap, cache.key, { metadata: { finalizers: null } });
      assert.equal(cache.shown(), undefined);
      cache.release();
      await until(() => cache.heard.includes('deleted'));
      assert.equal(cache.shown(), undefined);
    });

    test('a namespace that is deleted waits to be emptied, and is shown while it does', async () => {
      await using bound = bind();
      const { store, synced } = bound.informers.informer(Namespace);
      const name = 'own-writes-deleted';
      await bound.client.create(Namespace, { metadata: { name }, spec: { finalizers: ['example.com/wait'] } });
      await Promise.all([synced, until(() => store.get(name) !== undefined)]);
      bound.hold();
      const result = await bound.client.delete(Namespace, name);
      assert.equal(result.type, 'terminating');
      assert.equal(store.get(name)?.status.phase, 'Terminating');
      await bound.client.patch(Namespace, name, { metadata: { labels: { tried: 'yes' } } });
      assert.equal(store.get(name)?.metadata.labels?.tried, 'yes');
      // The namespace controller writes what it has found there at the same time.
      await until(async () => {
        const live = await client.get(Namespace, name);
        const emptied = { ...live, spec: { finalizers: [] } };
        const update = bound.client.update(Namespace, emptied, { subresource: 'finalize' });
        return await update.then(
          () => true,
          (error: unknown) => {
            if (!isConflict(error)) throw error;
            return false;
          },
        );
      });
      assert.equal(store.get(name), undefined);
    });

    test('a dry run changes nothing', async () => {
      await using cache = await given('dry');
      const dry = { dryRun: true } as const;
      const { resourceVersion } = cache.store.get(cache.key)?.metadata ?? {};
      await cache.client.patch(ConfigMap, cache.key, { data: { color: 'blue' } }, dry);
      await cache.client.delete(ConfigMap, cache.key, dry);
      const other = { ...cache.metadata, name: 'dry-other' };
      await cache.client.create(ConfigMap, { metadata: other, data: { color: 'blue' } }, dry);
      assert.equal(cache.shown(), 'red');
      assert.equal(cache.store.get(cache.key)?.metadata.resourceVersion, resourceVersion);
    });

    test('a subresource that answers with the object counts, and a Scale does not', async () => {
      await using bound = bind();
      const namespaces = bound.informers.informer(Namespace);
      const deployments = bound.informers.informer(Deployment, { namespace });
      const app = { matchLabels: { app: 'scaled' } };
      const template = {
        metadata: { labels: app.matchLabels },
        spec: { containers: [{ name: 'main', image: 'pause' }] },
      };
      // Paused, so that only its status changes by itself.
      const spec = { replicas: 0, paused: true, selector: app, template };
      const key = keyOf(await client.create(Deployment, { metadata: { name: 'scaled', namespace }, spec }));
      await Promise.all([namespaces.synced, until(() => deployments.store.get(key) !== undefined)]);
      bound.hold();
      const condition = { type: 'Tried', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
      const status = { conditions: [condition] };
      await bound.client.patch(Namespace, namespace, { status }, { subresource: 'status' });
      assert.equal(namespaces.store.get(namespace)?.status.conditions?.[0]?.type, 'Tried');
      const scaled = await setScale(bound.client, Deployment, key, 1);
      assert.equal(scaled.spec?.replicas, 1);
      assert.equal(deployments.store.get(key)?.kind, 'Deployment');
      assert.equal(deployments.store.get(key)?.spec.replicas, 0, 'it is shown when the watch brings it');
      bound.release();
      await until(() => deployments.store.get(key)?.spec.replicas === 1);
    });

    test('a store of metadata shows the metadata of what was written, and nothing else', async () => {
      await using bound = bind();
      const { store, synced } = bound.informers.informer(metadataOf(ConfigMap), { namespace });
      await synced;
      bound.hold();
      const metadata = { name: 'partial', namespace, labels: { color: 'blue' } };
      await bound.client.create(ConfigMap, { metadata, data: { secret: 'no' } });
      const [shown] = store.list({ labels: { color: 'blue' } });
      assert.equal(shown?.metadata.name, 'partial');
      assert.deepEqual(Object.keys(shown ?? {}).sort(), ['apiVersion', 'kind', 'metadata']);
      bound.release();
      await until(() => Number(store.resourceVersion) >= Number(shown?.metadata.resourceVersion));
      assert.deepEqual(store.get(`${namespace}/partial`), shown, 'just as the watch brings it');
    });

    test('a write that leaves the selection hides the object, and one that comes back shows it', async () => {
      await using cache = await given('moves', { labels: { test: 'moves' } });
      const labelled = (value: string) =>
        cache.client.patch(ConfigMap, cache.key, { metadata: { labels: { test: value } } });
      await labelled('elsewhere');
      assert.equal(cache.shown(), undefined);
      await labelled('moves');
      assert.equal(cache.shown(), 'red');
      await labelled('elsewhere');
      assert.equal(cache.shown(), undefined);
      cache.release();
      await until(() => cache.heard.filter((type) => type === 'deleted').length === 2);
      assert.equal(cache.shown(), undefined);
    });

    test('a write in another namespace than the watched one is not seen', async () => {
      await using bound = bind();
      const { store, synced } = bound.informers.informer(ConfigMap, { namespace });
      await synced;
      await bound.client.create(ConfigMap, { metadata: { name: 'elsewhere', namespace: 'default' } });
      assert.deepEqual(
        store.list().filter(({ metadata }) => metadata.name === 'elsewhere'),
        [],
      );
    });
  });
}

interface Bound extends AsyncDisposable {
  readonly informers: SharedInformers;
  readonly client: Client;
  hold(): void;
  release(): void;
}

function watchConfigMaps(informers: SharedInformers, options: SharedInformerOptions<ConfigMap>) {
  const informer = informers.informer(ConfigMap, { namespace, indexes: { color: byColor }, ...options });
  const subscribe: typeof informer.subscribe = (handler) => informer.subscribe(handler);
  return { store: informer.store, synced: informer.synced, subscribe };
}
