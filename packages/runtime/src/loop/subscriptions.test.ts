import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InformerEvent } from '@keelson/client';
import {
  byOwner,
  controllerReference,
  type Declaration,
  type Kind,
  type KubernetesObject,
  keyOf,
  watch,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod, Secret } from '@keelson/core/v1';
import { rememberingLogger } from '../../test/widget.ts';
import { matters, type SubscriptionsOptions, subscribeMapped, subscribeOwn } from './subscriptions.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', ...metadata },
});
const never = () => false;
const updated = (now: Partial<KubernetesObject['metadata']>, before: Partial<KubernetesObject['metadata']> = {}) =>
  ({ type: 'updated', object: object(now), previous: object(before) }) as const;

test('a predicate is asked about updates alone, with the states now and before', () => {
  assert.ok(matters({ type: 'added', object: object({}), initial: false }, never));
  assert.ok(matters({ type: 'deleted', object: object({}), missed: false }, never));
  assert.ok(!matters(updated({}), never));
  assert.ok(matters(updated({}), undefined));
  const asked: unknown[] = [];
  const event = updated({ generation: 2 }, { generation: 1 });
  matters(event, (now, before) => asked.push(now, before) > 0);
  assert.deepEqual(asked, [event.object, event.previous]);
});

test('the way to an end always matters: a deletion that begins, a finalizer that comes or goes', () => {
  assert.ok(matters(updated({ deletionTimestamp: 'now' }), never));
  assert.ok(matters(updated({ finalizers: ['a/b'] }), never));
  assert.ok(matters(updated({}, { finalizers: ['a/b'] }), never));
  assert.ok(!matters(updated({ finalizers: [] }), never), 'none is none');
  assert.ok(!matters(updated({ deletionTimestamp: 'now' }, { deletionTimestamp: 'now' }), never));
});

/** Caches that hold `objects` of every kind, and a way to let events come. */
function given(declaration: Declaration, objects: readonly KubernetesObject[] = []) {
  const handlers = new Map<string, ((event: InformerEvent) => void)[]>();
  const signals = new Set<unknown>();
  const woken: unknown[] = [];
  const logger = rememberingLogger();
  const { signal } = new AbortController();
  const informersOf = (kind: Kind) => [
    {
      subscribe(handler: (event: InformerEvent) => void, options: { readonly signal: AbortSignal }) {
        handlers.set(kind.kind, [...(handlers.get(kind.kind) ?? []), handler]);
        signals.add(options.signal);
      },
    },
  ];
  const caches = {
    informers: [],
    informersOf,
    referrers: (i: number, referred: KubernetesObject) => [`ns/refers-${i}-to-${referred.metadata.name}`],
    get: (_: Kind, key: string) => objects.find((each) => keyOf(each) === key),
    list: () => objects,
    serves: () => true,
  };
  const options = {
    controller: declaration,
    caches,
    logger,
    signal,
    wake: (...args: readonly unknown[]) => void woken.push(args),
  } as unknown as SubscriptionsOptions;
  const happen = (kind: Kind, event: InformerEvent) => {
    for (const handler of handlers.get(kind.kind) ?? []) handler(event);
    return woken.splice(0);
  };
  return { options, happen, logger, signals, signal };
}

const of = (kind: string, name: string, metadata: Partial<KubernetesObject['metadata']> = {}) => ({
  ...object({ name, namespace: 'ns', ...metadata }),
  kind,
});
const added = (given: KubernetesObject, initial = false) => ({ type: 'added', object: given, initial }) as const;

test('a reconciled object wakes itself, and what it owns wakes it; both as their predicates want', () => {
  const owner = of('Deployment', 'web', { uid: 'o' });
  const ownerReferences = [controllerReference(Deployment, owner)];
  const { options, happen, signals, signal } = given({
    for: Deployment,
    owns: [ConfigMap, { own: Pod, when: never }],
    when: never,
  });
  const seen: string[] = [];
  let isHeld = false;
  subscribeOwn(options, {
    onReconciled(event, wake) {
      seen.push(`reconciled ${event.type}`);
      if (!isHeld) wake();
    },
    onOwned: ({ object }) => void seen.push(`owned ${object.metadata.name}`),
  });
  assert.deepEqual(happen(Deployment, added(owner, true)), [['ns/web', 'Deployment ns/web added', 'initial']]);
  assert.deepEqual(happen(Deployment, added(owner)), [['ns/web', 'Deployment ns/web added', 'now']]);
  assert.deepEqual(happen(Deployment, { type: 'updated', object: owner, previous: owner }), [], 'nobody wants to know');
  isHeld = true;
  assert.deepEqual(happen(Deployment, added(owner)), [], 'who holds it back decides');
  const child = of('ConfigMap', 'c', { ownerReferences });
  const changed = { type: 'updated', object: child, previous: of('ConfigMap', 'c') } as const;
  assert.deepEqual(happen(ConfigMap, changed), [['ns/web', 'ConfigMap ns/c updated', 'follow-up']]);
  assert.deepEqual(happen(ConfigMap, added(of('ConfigMap', 'free'))), []);
  const pod = of('Pod', 'p', { ownerReferences });
  assert.deepEqual(happen(Pod, { type: 'updated', object: pod, previous: pod }), []);
  assert.equal(happen(Pod, { type: 'deleted', object: pod, missed: false }).length, 1);
  assert.deepEqual(seen.slice(-4), ['owned c', 'owned free', 'owned p', 'owned p']);
  assert.deepEqual([...signals], [signal]);
});

test('what users ask for and what is gone wants a pass now; a status that changes, here or elsewhere, is a follow-up', () => {
  const { options, happen } = given({ for: Deployment, owns: [ConfigMap] });
  subscribeOwn(options, { onReconciled: (_, wake) => wake(), onOwned() {} });
  const urgencies = (kind: Kind, event: InformerEvent) => happen(kind, event).map((args) => (args as unknown[])[2]);
  const before = { uid: 'o', generation: 1, labels: { a: 'b' } };
  const web = of('Deployment', 'web', before);
  const changedTo = (metadata: Partial<KubernetesObject['metadata']>) =>
    urgencies(Deployment, { type: 'updated', previous: web, object: of('Deployment', 'web', metadata) });
  assert.deepEqual(changedTo({ ...before, resourceVersion: '2' }), ['follow-up']);
  for (const change of [
    { generation: 2 },
    { labels: { a: 'c' } },
    { annotations: { a: 'b' } },
    { finalizers: ['a/b'] },
    { deletionTimestamp: 'now' },
  ]) {
    assert.deepEqual(changedTo({ ...before, ...change }), ['now'], JSON.stringify(change));
  }
  const plain = of('Deployment', 'plain');
  assert.deepEqual(
    urgencies(Deployment, { type: 'updated', previous: plain, object: plain }),
    ['now'],
    'without a generation nothing tells a status from the rest',
  );
  assert.deepEqual(urgencies(Deployment, { type: 'deleted', object: web, missed: false }), ['now']);
  const child = of('ConfigMap', 'c', { ownerReferences: [controllerReference(Deployment, web)] });
  assert.deepEqual(urgencies(ConfigMap, { type: 'deleted', object: child, missed: false }), ['now']);
});

test('what is watched or referred to wakes those whom the mapping names; a mapping that throws is reported', () => {
  const owner = of('Deployment', 'web', { uid: 'o' });
  const ownerReferences = [controllerReference(Deployment, owner)];
  const { options, happen, logger, signals, signal } = given({
    for: Deployment,
    watches: [
      watch(Pod, { to: byOwner, when: never }),
      watch(ConfigMap, {
        to() {
          throw new Error('clumsy');
        },
      }),
    ],
    refers: [{ to: Secret, by: () => '', when: never }],
  });
  subscribeMapped(options);
  const pod = of('Pod', 'p', { ownerReferences });
  assert.deepEqual(happen(Pod, added(pod, true)), [['ns/web', 'Pod ns/p added', 'initial']]);
  assert.deepEqual(happen(Pod, { type: 'updated', object: pod, previous: pod }), []);
  const secret = of('Secret', 's');
  assert.deepEqual(happen(Secret, added(secret)), [['ns/refers-0-to-s', 'Secret ns/s added', 'follow-up']]);
  assert.deepEqual(happen(Secret, { type: 'updated', object: secret, previous: secret }), []);
  assert.deepEqual(happen(ConfigMap, added(of('ConfigMap', 'c'))), []);
  assert.deepEqual(logger.said('error'), ['A mapping threw; that change wakes nobody: clumsy']);
  assert.deepEqual([...signals], [signal]);
  subscribeMapped(given({ for: Deployment }).options);
});

test('a mapping may read the reconciled kind, and no other', () => {
  const read: unknown[] = [];
  const web = of('Deployment', 'web');
  const { options, happen, logger } = given(
    {
      for: Deployment,
      watches: [
        watch(Pod, {
          to(_, { cache }) {
            read.push(cache.get(Deployment, 'ns/web'), cache.list(Deployment), cache.serves(Deployment));
            return [];
          },
        }),
        watch(ConfigMap, { to: (_, { cache }) => cache.list(Pod as never) as never }),
        watch(Secret, {
          to: (_, { cache }) => [String(cache.get({ ...Deployment, group: 'other' } as never, 'ns/web'))],
        }),
      ],
    },
    [web],
  );
  subscribeMapped(options);
  happen(Pod, added(of('Pod', 'p')));
  assert.deepEqual(read, [web, [web], true]);
  happen(ConfigMap, added(of('ConfigMap', 'c')));
  happen(Secret, added(of('Secret', 's')));
  const refusal =
    'A mapping threw; that change wakes nobody: a mapping may read the cache of Deployment, which is reconciled, not';
  assert.deepEqual(logger.said('error'), [`${refusal} Pod`, `${refusal} Deployment`]);
});
