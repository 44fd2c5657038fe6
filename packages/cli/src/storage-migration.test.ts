import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@keelson/client';
import { ApiError, type JsonObject } from '@keelson/core';
import { migrateDefinition } from './storage-migration.ts';

const name = 'caches.cache.example.com';
const annotation = 'migrate.keelson/began';

interface World {
  readonly stored?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** resourceVersion by name; those below 10 are stored in v1alpha1. */
  readonly objects?: Readonly<Record<string, number>>;
  /** What a patch of an object, or of the status, fails with, the first time. */
  readonly fails?: Readonly<Record<string, 'Conflict' | 'NotFound' | 'Forbidden'>>;
  readonly onPatch?: (key: string, world: State) => void;
}

interface State {
  storage: string;
  generation: number;
  stored: readonly string[];
  annotations: Record<string, string>;
  readonly patches: string[];
}

/** An API server as far as a migration looks at one; the next write has the resourceVersion 101 and so on. */
function worldOf({ stored = ['v1alpha1', 'v1'], annotations = {}, objects = {}, fails = {}, onPatch }: World) {
  const state: State = { storage: 'v1', generation: 2, stored, annotations: { ...annotations }, patches: [] };
  const versions = new Map(Object.entries(objects));
  const failing = new Map(Object.entries(fails));
  let last = 100;
  const definition = () => ({
    metadata: { name, uid: 'u', generation: state.generation, resourceVersion: '1', annotations: state.annotations },
    spec: {
      group: 'cache.example.com',
      names: { kind: 'Cache', plural: 'caches' },
      scope: 'Namespaced',
      versions: ['v1alpha1', 'v1'].map((each) => ({ name: each, served: true, storage: each === state.storage })),
    },
    status: { storedVersions: state.stored },
  });
  const client = {
    find: async (_: unknown, key: string) => (key === name ? definition() : undefined),
    get: async () => definition(),
    async *pages() {
      const items = [...versions].map(([object, version]) => ({
        metadata: { namespace: 'default', name: object, resourceVersion: `${version}` },
      }));
      yield { items: items.slice(0, 2), resourceVersion: `${last}` };
      yield { items: items.slice(2), resourceVersion: `${last}` };
    },
    async patch(_: unknown, key: string, patch: JsonObject, options: { readonly subresource?: string }) {
      const what = options.subresource ?? key;
      state.patches.push(what);
      const reason = failing.get(what);
      failing.delete(what);
      if (reason !== undefined) throw new ApiError(`patch ${what}`, { status: 'Failure', reason, message: reason });
      if (key === name) {
        const { metadata, status } = patch as { metadata: State; status?: { storedVersions: readonly string[] } };
        if (status !== undefined) state.stored = status.storedVersions;
        for (const [each, text] of Object.entries(metadata.annotations ?? {})) {
          if (text === null) delete state.annotations[each];
          else state.annotations[each] = text;
        }
        return definition();
      }
      const object = key.slice('default/'.length);
      if ((versions.get(object) ?? 0) < 10) versions.set(object, ++last);
      onPatch?.(object, state);
      return { metadata: { resourceVersion: `${versions.get(object)}` } };
    },
  };
  return { state, versions, client: client as unknown as Client };
}

const run = (client: Client, signal = new AbortController().signal, definition = name) =>
  migrateDefinition(client, definition, { signal, onProgress: () => {} });

test('each object is written once, the other versions are forgotten, and no trace stays', async () => {
  const { client, state } = worldOf({ objects: { a: 1, b: 2, c: 50 } });
  assert.deepEqual(await run(client), {
    name,
    result: 'migrated',
    storageVersion: 'v1',
    storedVersions: ['v1alpha1', 'v1'],
    objects: 3,
    rewritten: 2, // c was stored in v1 already
  });
  assert.deepEqual(state, {
    storage: 'v1',
    generation: 2,
    stored: ['v1'],
    annotations: {},
    patches: [name, 'default/a', 'default/b', 'default/c', 'status', name],
  });
});

test('a migration that was stopped goes on with what was not written since it began', async () => {
  const stop = new AbortController();
  const { client, state } = worldOf({ objects: { a: 1, b: 2, c: 3 }, onPatch: (key) => key === 'b' && stop.abort() });
  const halted = {
    ...client,
    patch: async (...args: Parameters<Client['patch']>) => {
      stop.signal.throwIfAborted();
      return client.patch(...args);
    },
  } as Client;
  await assert.rejects(run(halted, stop.signal), { name: 'AbortError' });
  assert.deepEqual(state.annotations, {
    [annotation]: '{"storageVersion":"v1","generation":2,"resourceVersion":"100"}',
  });
  assert.deepEqual(state.stored, ['v1alpha1', 'v1']);
  state.patches.length = 0;
  const { result, objects } = await run(client);
  assert.deepEqual([result, objects, state.stored], ['migrated', 1, ['v1']]);
  assert.deepEqual(state.patches, ['default/c', 'status', name]);
});

for (const [what, text] of [
  ['for another storage version', '{"storageVersion":"v1alpha1","generation":2,"resourceVersion":"1"}'],
  ['before a rollback of the storage version', '{"storageVersion":"v1","generation":1,"resourceVersion":"1"}'],
  ['without a generation', '{"storageVersion":"v1","resourceVersion":"1"}'],
  ['that is none', 'yesterday'],
] as const) {
  test(`a beginning ${what} counts for nothing`, async () => {
    const { client, state } = worldOf({ objects: { a: 5, b: 6 }, annotations: { [annotation]: text } });
    const { rewritten } = await run(client);
    assert.deepEqual([rewritten, state.stored, state.annotations], [2, ['v1'], {}]);
  });
}

test('nothing is done where one version is stored, but for a trace that a killed command left', async () => {
  const untouched = worldOf({ stored: ['v1'], objects: { a: 50 } });
  assert.equal((await run(untouched.client)).result, 'unchanged');
  assert.deepEqual(untouched.state.patches, []);
  for (const generation of [1, 2]) {
    const trace = JSON.stringify({ storageVersion: 'v1', generation, resourceVersion: '1' });
    const traced = worldOf({ stored: ['v1'], annotations: { [annotation]: trace } });
    assert.equal((await run(traced.client)).result, 'unchanged');
    assert.deepEqual(traced.state.annotations, {});
  }
});

test('a definition that is not there is told', async () => {
  assert.deepEqual(await run(worldOf({}).client, undefined, 'others.example.com'), {
    name: 'others.example.com',
    result: 'absent',
  });
});

test('an object that cannot be written is told, and no version is forgotten; one that is gone is no matter', async () => {
  const { client, state } = worldOf({
    objects: { a: 1, b: 2, c: 3 },
    fails: { 'default/a': 'Forbidden', 'default/b': 'NotFound' },
  });
  const { result, failures, rewritten } = await run(client);
  assert.deepEqual([result, rewritten, state.stored], ['failed', 1, ['v1alpha1', 'v1']]);
  assert.deepEqual(failures, [{ key: 'default/a', message: 'patch default/a: Forbidden' }]);
  const again = await run(client);
  assert.deepEqual([again.result, again.rewritten, state.stored], ['migrated', 2, ['v1']]);
});

test('a definition that somebody else wrote meanwhile is read again', async () => {
  const { client, state } = worldOf({ fails: { status: 'Conflict' } });
  assert.equal((await run(client)).result, 'migrated');
  assert.deepEqual(state.patches, [name, 'status', 'status', name]);
});

test('no version is forgotten when another one is stored meanwhile', async () => {
  const { client, state } = worldOf({
    objects: { a: 1 },
    onPatch: (_, world) => {
      world.storage = 'v1alpha1';
    },
  });
  await assert.rejects(
    run(client),
    /caches\.cache\.example\.com was changed meanwhile: v1 is no longer stored; call again/,
  );
  assert.deepEqual(state.stored, ['v1alpha1', 'v1']);
});

test('no version is forgotten when another one was stored for a while, though it is the same again', async () => {
  const { client, state } = worldOf({
    objects: { a: 1 },
    onPatch: (_, world) => {
      world.generation += 2; // to v1alpha1, and back
    },
  });
  await assert.rejects(run(client), /caches\.cache\.example\.com was changed meanwhile, and may have stored another/);
  assert.deepEqual(state.stored, ['v1alpha1', 'v1']);
});
