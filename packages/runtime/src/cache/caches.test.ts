import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InformerHandle, SharedInformers } from '@keelson/client';
import { ApiError, byLabel, byOwner, type Declaration, type Kind, optional, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Node, Pod, Secret } from '@keelson/core/v1';
import { type CachesOptions, createCaches, requiredCachesSynced } from './caches.ts';

const object = (name: string, namespace = 'a') => ({ metadata: { name, namespace } });

/** Informers with one object each, named after their namespace. */
function given(declaration: Declaration, options: Partial<CachesOptions> = {}) {
  const asked: { readonly kind: string; readonly options: Record<string, unknown> }[] = [];
  const labels: string[] = [];
  const handles: { health: Record<string, unknown>; synced: PromiseWithResolvers<void> }[] = [];
  const informer = (kind: Kind, { namespace, ...rest }: { readonly namespace?: string }) => {
    asked.push({ kind: kind.kind, options: { namespace, ...rest } });
    const mine = object(`in-${namespace ?? 'all'}`, namespace);
    const synced = Promise.withResolvers<void>();
    const handle = {
      kind,
      health: { synced: true, lastError: undefined as unknown },
      synced: synced.promise,
      store: {
        get: (key: string) => (key === `${mine.metadata.namespace}/${mine.metadata.name}` ? mine : undefined),
        list: () => [mine],
        indexLabel: (label: string) => void labels.push(`${kind.kind} ${label}`),
        byIndex: (index: string, value: string) => [object(`${index} = ${value}`)],
      },
    };
    handles.push({ health: handle.health, synced });
    return handle as unknown as InformerHandle;
  };
  const caches = createCaches(declaration, { informer } as unknown as SharedInformers, { manager: 'me', ...options });
  return { caches, asked, handles, labels };
}

const namesOf = (objects: readonly unknown[]) =>
  objects.map((each) => (each as ReturnType<typeof object>).metadata.name);

test('what is mapped by a label is found by that label', () => {
  const { labels } = given(
    { for: Deployment, watches: [watch(Pod, { to: byLabel('app') }), watch(ConfigMap, { to: byOwner })] },
    { namespaces: ['a', 'b'] },
  );
  assert.deepEqual(labels, ['Pod app', 'Pod app']);
});

test('each declared kind has one watch, or one for each namespace; cluster-scoped kinds always one', () => {
  const placesOf = (options?: Partial<CachesOptions>) => {
    const declaration = {
      for: Deployment,
      owns: [ConfigMap, Node],
      watches: [watch(Pod, { to: byOwner, namespaces: ['own', 'own'] })],
    };
    const { caches, asked } = given(declaration, options);
    assert.equal(caches.informers.length, asked.length);
    return asked.map(({ kind, options: { namespace } }) => `${kind} ${namespace}`);
  };
  assert.deepEqual(placesOf(), ['Deployment undefined', 'ConfigMap undefined', 'Node undefined', 'Pod own']);
  assert.deepEqual(placesOf({ namespaces: ['a', 'b', 'a'] }), [
    'Deployment a',
    'Deployment b',
    'ConfigMap a',
    'ConfigMap b',
    'Node undefined',
    'Pod own',
  ]);
});

test('our own entries of managedFields are kept, selections are passed on, and indexes are those of the reconciled kind', () => {
  const labels = { app: 'x' };
  const refers = [{ to: Secret, by: () => 'tls' }];
  const { asked, caches } = given({
    for: Deployment,
    watches: [watch(Pod, { to: byOwner, labels, fields: 'a=b' })],
    refers,
  });
  const [deployments, pods] = asked;
  assert.deepEqual(deployments?.options.managedFields, { manager: 'me' });
  const index = 'deployment refers to secrets/v1 (0)';
  assert.deepEqual(Object.keys(deployments?.options.indexes as object), [index]);
  assert.deepEqual([pods?.options.labels, pods?.options.fields, pods?.options.indexes], [labels, 'a=b', undefined]);
  assert.deepEqual(caches.referrers(0, object('tls') as never), [`a/${index} = a/tls`]);
});

test('what is cached in several namespaces is read as one', () => {
  const { caches } = given({ for: ConfigMap }, { namespaces: ['a', 'b'] });
  assert.deepEqual(namesOf(caches.list(ConfigMap)), ['in-a', 'in-b']);
  assert.deepEqual(namesOf([caches.get(ConfigMap, 'b/in-b')]), ['in-b']);
  assert.equal(caches.get(ConfigMap, 'b/other'), undefined);
  assert.deepEqual(namesOf(caches.store(ConfigMap).byIndex('i', 'v')), ['i = v', 'i = v']);
  assert.equal(caches.informersOf(ConfigMap).length, 2);
  const { caches: one } = given({ for: ConfigMap });
  assert.deepEqual(namesOf(one.list(ConfigMap)), ['in-all']);
});

test('a kind that is not declared, and a key of the wrong form, are refused', () => {
  const { caches } = given({ for: ConfigMap });
  assert.throws(() => caches.list(Secret), {
    message: 'Secret is not declared by the controller: add it to owns or watches to read it from the cache',
  });
  assert.throws(
    () => caches.store(Secret, 'add it to owns'),
    /Secret is not declared by the controller: add it to owns$/,
  );
  assert.throws(() => caches.get(ConfigMap, 'x'), /its key is "namespace\/name"/);
  assert.throws(() => caches.informersOf(Secret), /not declared/);
});

test('a kind is served when its watches are complete and the server has it', () => {
  const { caches, handles } = given({ for: ConfigMap, owns: [optional(Secret)] }, { namespaces: ['a', 'b'] });
  assert.equal(caches.serves(Secret), true);
  const [, , first, second] = handles;
  if (first === undefined || second === undefined) assert.fail();
  first.health.synced = false;
  assert.equal(caches.serves(Secret), false);
  first.health.synced = true;
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 404,
    reason: 'NotFound',
    message: '',
  };
  second.health.lastError = new ApiError('list', status as never);
  assert.equal(caches.serves(Secret), false);
  second.health.lastError = new Error('refused');
  assert.equal(caches.serves(Secret), true);
});

test('the caches that the controller cannot do without are waited for, and no others', async () => {
  const { caches, handles } = given({ for: ConfigMap, owns: [optional(Secret), Pod] });
  let isComplete = false;
  const waiting = requiredCachesSynced(caches).then(() => {
    isComplete = true;
  });
  const [configMaps, , pods] = handles;
  configMaps?.synced.resolve();
  for (let i = 0; i < 5; i++) await Promise.resolve();
  assert.equal(isComplete, false);
  pods?.synced.resolve();
  await waiting;
});
