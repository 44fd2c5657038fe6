/** What wakes a reconciler, in virtual time: references, mappings that read, predicates, optional kinds, namespaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, installDefinitions } from '@keelson/client';
import {
  byOwner,
  changed,
  generationChanged,
  keyOf,
  labelsChanged,
  metadataOf,
  operator,
  optional,
  or,
  own,
  removable,
  rolesOf,
  watch,
} from '@keelson/core';
import { Event } from '@keelson/core/events/v1';
import { Role, RoleBinding } from '@keelson/core/rbac/v1';
import { ConfigMap, Namespace, Secret, ServiceAccount } from '@keelson/core/v1';
import { crdOf, defineKind } from '@keelson/schema';
import { startCluster } from '@keelson/testing';
import { z } from 'zod';
import {
  type Controller,
  channel,
  controller,
  createManager,
  done,
  every,
  type MissingAccess,
  missingAccess,
  polling,
  printMissing,
} from '../src/index.ts';
import { rememberingLogger } from './widget.ts';

const Site = defineKind({
  group: 'watches.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        secret: z.string().optional(),
        also: z.array(z.string()).optional(),
        host: z.string().optional(),
      }),
      status: z.object({ seen: z.string() }),
    },
  },
});

const namespace = 'default';
const site = (name: string, spec: { secret?: string; also?: string[]; host?: string } = {}) => ({
  metadata: { namespace, name },
  spec,
});
const named = (name: string, place = namespace) => ({ metadata: { namespace: place, name } });

/** A cluster with one operator, and who was reconciled since the last question. */
async function watching(one: (passes: string[]) => Controller, namespaces?: readonly string[]) {
  const passes: string[] = [];
  const example = operator({ name: 'watching', controllers: [one(passes)] });
  const logger = rememberingLogger();
  const cluster = await startCluster({ kinds: [Site], logger, ...(namespaces ? {} : { operators: [example] }) });
  const stop = new AbortController();
  const { clock } = cluster;
  const { transport } = cluster.cluster;
  const manager = createManager(example, {
    transport,
    clock,
    namespaces,
    health: false,
    metrics: false,
    logger: silent,
  });
  const running = namespaces ? manager.start(stop.signal) : Promise.resolve();
  return {
    ...cluster,
    /** With what the last pass over an object failed. */
    failure(name: string) {
      const { fields } =
        logger.lines.findLast(({ level, fields: { name: its } }) => level === 'error' && its === name) ?? {};
      return (fields?.error as Error | undefined)?.message;
    },
    async woken() {
      await clock.advance(2000);
      return [...new Set(passes.splice(0))].sort();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.settle();
      await running;
      await cluster[Symbol.asyncDispose]();
    },
  };
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

test('what an object refers to by name wakes it: when it comes, changes and goes, by old and new names', async () => {
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      refers: [{ to: Secret, by: (each) => [each.spec.secret, ...(each.spec.also ?? [])] }],
      async reconcile(object, { cache }) {
        const content = cache.get(metadataOf(Secret), `${namespace}/one`);
        assert.ok(content === undefined || !('data' in content), 'it is watched by its metadata');
        passes.push(object.metadata.name);
        return done;
      },
    }),
  );
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: 'other' } });
  for (const each of [site('a', { secret: 'one' }), site('b', { secret: 'one', also: ['two'] }), site('c')])
    await client.create(Site, each);
  await client.create(Site, site('d', { secret: 'other/one' }));
  assert.deepEqual(await cluster.woken(), ['a', 'b', 'c', 'd']);
  await client.create(Secret, { ...named('one'), stringData: { key: '1' } });
  assert.deepEqual(await cluster.woken(), ['a', 'b']);
  await client.patch(Secret, `${namespace}/one`, { data: { key: 'Mg==' } });
  assert.deepEqual(await cluster.woken(), ['a', 'b']);
  await client.create(Secret, named('two'));
  assert.deepEqual(await cluster.woken(), ['b']);
  await client.create(Secret, named('one', 'other'));
  assert.deepEqual(await cluster.woken(), ['d']);
  await client.patch(Site, `${namespace}/a`, { spec: { secret: 'two' } });
  assert.deepEqual(await cluster.woken(), ['a']);
  await client.delete(Secret, `${namespace}/one`);
  assert.deepEqual(await cluster.woken(), ['b'], 'the old name wakes it no more');
  await client.delete(Secret, `${namespace}/two`);
  assert.deepEqual(await cluster.woken(), ['a', 'b']);
});

test('a mapping may read the reconciled kind, all of it, and no other', async () => {
  const refused: string[] = [];
  const seen: number[] = [];
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      watches: [
        watch(ServiceAccount, {
          to: (account, { cache }) => {
            try {
              cache.list(ServiceAccount);
            } catch (error) {
              refused.push((error as Error).message);
            }
            const sites = cache.list(Site);
            seen.push(sites.length);
            return sites.filter(({ spec }) => spec.host === account.metadata.name).map(keyOf);
          },
        }),
      ],
      async reconcile(object) {
        passes.push(object.metadata.name);
        return done;
      },
    }),
  );
  await cluster.client.create(Site, site('a', { host: 'one' }));
  await cluster.client.create(Site, site('b', { host: 'two' }));
  assert.deepEqual(await cluster.woken(), ['a', 'b']);
  seen.length = 0;
  await cluster.client.create(ServiceAccount, named('one'));
  assert.deepEqual(await cluster.woken(), ['a']);
  assert.deepEqual([...new Set(seen)], [2]);
  assert.equal(refused[0], 'a mapping may read the cache of Site, which is reconciled, not ServiceAccount');
});

test('a mapping is asked only when the cache of the reconciled kind is complete', async () => {
  const seen: number[] = [];
  const cluster = await startCluster({ kinds: [Site] });
  await using _ = cluster;
  for (const name of ['a', 'b', 'c']) await cluster.client.create(Site, site(name));
  const { clock } = cluster;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { transport } = cluster.cluster;
  const late = {
    request: async (request: Parameters<typeof transport.request>[0]) => {
      if (request.path.includes('/sites')) await held;
      return transport.request(request);
    },
    async [Symbol.asyncDispose]() {},
  };
  const reading = controller({
    for: Site,
    watches: [
      watch(ServiceAccount, {
        to: (_account, { cache }) => {
          seen.push(cache.list(Site).length);
          return [];
        },
      }),
    ],
    reconcile: async () => done,
  });
  const stop = new AbortController();
  const manager = createManager(operator({ name: 'late', controllers: [reading] }), {
    transport: late,
    clock,
    health: false,
    metrics: false,
    logger: silent,
  });
  const running = manager.start(stop.signal);
  await clock.advance(1000);
  await cluster.client.create(ServiceAccount, named('early'));
  await clock.advance(1000);
  assert.deepEqual(seen, []);
  release();
  await clock.advance(1000);
  assert.deepEqual([...new Set(seen)], [3]);
  stop.abort();
  await clock.settle();
  await running;
});

test('an update that the predicate does not want wakes nobody, and a deletion always does', async () => {
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      when: or(generationChanged, labelsChanged),
      watches: [watch(ConfigMap, { to: () => [`${namespace}/a`], when: changed((map) => map.data?.key) })],
      async reconcile(object) {
        passes.push(object.metadata.name);
        return done;
      },
      async finalize(object) {
        passes.push(`finalize ${object.metadata.name}`);
      },
    }),
  );
  const { client } = cluster;
  const key = `${namespace}/a`;
  await client.create(ConfigMap, { ...named('map'), data: { key: '1' } });
  await client.create(Site, site('a'));
  assert.deepEqual(await cluster.woken(), ['a']);
  await client.patch(Site, key, { metadata: { annotations: { note: '1' } } });
  await client.patch(Site, key, { status: { seen: 'yes' } }, { subresource: 'status' });
  await client.patch(ConfigMap, `${namespace}/map`, { data: { other: '1' } });
  assert.deepEqual(await cluster.woken(), []);
  await client.patch(Site, key, { metadata: { labels: { note: '1' } } });
  assert.deepEqual(await cluster.woken(), ['a']);
  await client.patch(Site, key, { spec: { host: 'x' } });
  assert.deepEqual(await cluster.woken(), ['a']);
  await client.patch(ConfigMap, `${namespace}/map`, { data: { key: '2' } });
  assert.deepEqual(await cluster.woken(), ['a']);
  await client.delete(Site, key);
  assert.deepEqual(await cluster.woken(), ['finalize a']);
});

const Monitor = defineKind({
  group: 'watches.example.com',
  kind: 'Monitor',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ target: z.string() }) } },
});

test('an optional kind may be absent, and wakes everything when its definition comes', async () => {
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      owns: [optional(Monitor)],
      async reconcile(object, { cache, owned }) {
        const { name } = object.metadata;
        passes.push(name);
        if (cache.serves(Monitor)) await owned.apply(Monitor, { metadata: { name }, spec: { target: name } });
        return done;
      },
    }),
  );
  await cluster.client.create(Site, site('a'));
  assert.deepEqual(await cluster.woken(), ['a']);
  await cluster.clock.advance(600_000);
  assert.deepEqual(await cluster.woken(), []);
  const installed = installDefinitions(cluster.client, [crdOf(Monitor)], { clock: cluster.clock });
  await cluster.clock.advance(60_000);
  await installed;
  assert.deepEqual(await cluster.woken(), ['a']);
  await cluster.eventually(Monitor, `${namespace}/a`);
});

test('an optional kind that is no longer served leaves nothing in the cache, and wakes everything', async () => {
  const seen: string[] = [];
  const looking = controller({
    for: Site,
    watches: [watch(optional(Monitor), { to: () => [] })],
    async reconcile(_, { cache }) {
      seen.push(
        `${cache.serves(Monitor)} ${cache.list(Monitor).length} ${cache.get(Monitor, 'default/m')?.spec.target}`,
      );
      return done;
    },
  });
  let gone = new AbortController();
  await using cluster = await startCluster({
    kinds: [Site, Monitor],
    operators: [operator({ name: 'looking', controllers: [looking] })],
    intercept: (transport) => ({
      async request(request) {
        if (!request.path.includes('/monitors')) return transport.request(request);
        if (!gone.signal.aborted) {
          const signal = AbortSignal.any([gone.signal, ...(request.signal ? [request.signal] : [])]);
          return transport.request({ ...request, signal });
        }
        async function* body() {
          yield Buffer.from('404 page not found');
        }
        return { status: 404, headers: { 'content-type': 'text/plain' }, body: body() };
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await cluster.client.create(Monitor, { ...named('m'), spec: { target: 'x' } });
  await cluster.client.create(Site, site('a'));
  await cluster.clock.advance(1000);
  gone.abort();
  await cluster.clock.advance(60_000);
  gone = new AbortController();
  await cluster.clock.advance(60_000);
  assert.deepEqual(seen, ['true 1 x', 'false 0 undefined', 'true 1 x']);
});

test('an operator of some namespaces watches those, and a watch may have one of its own', async () => {
  await using cluster = await watching(
    (passes) =>
      controller({
        for: Site,
        refers: [{ to: Secret, by: ({ spec }) => spec.secret, namespaces: ['vault'] }],
        watches: [watch(ConfigMap, { to: (_, { cache }) => cache.list(Site).map(keyOf) })],
        async reconcile(object, { cache }) {
          const known = cache.list(metadataOf(Secret)).length;
          passes.push(`${keyOf(object)} of ${cache.list(Site).length}, ${known} secrets`);
          return done;
        },
      }),
    ['one', 'two'],
  );
  const { client } = cluster;
  for (const name of ['one', 'two', 'three', 'vault']) await client.create(Namespace, { metadata: { name } });
  for (const place of ['one', 'two', 'three'])
    await client.create(Site, { ...named('a', place), spec: { secret: 'vault/key' } });
  const last = (await cluster.woken()).map((each) => each.split(' ')[0]);
  assert.deepEqual([...new Set(last)], ['one/a', 'two/a']);
  await client.create(Secret, named('key', 'vault'));
  assert.deepEqual(await cluster.woken(), ['one/a of 2, 1 secrets', 'two/a of 2, 1 secrets']);
  await client.create(Secret, named('key', 'one'));
  await client.create(ConfigMap, named('map', 'three'));
  assert.deepEqual(await cluster.woken(), []);
  await client.create(ConfigMap, named('map', 'two'));
  assert.deepEqual(await cluster.woken(), ['one/a of 2, 1 secrets', 'two/a of 2, 1 secrets']);
});

test('a channel, a poll and a timer wake objects; what fails is reported and goes on; all end with the operator', async () => {
  const hooks = channel('push');
  const starts: string[] = [];
  let failures = 0;
  const cluster = await watching((passes) =>
    controller({
      for: Site,
      sources: [
        hooks,
        polling({
          everyMs: 60_000,
          poll: async ({ cache }) => {
            failures += 1;
            if (failures === 2) throw new Error('away');
            return cache
              .list(Site)
              .filter(({ spec }) => spec.host === 'polled')
              .map(keyOf);
          },
        }),
        every(3_600_000),
        {
          name: 'clumsy',
          async start({ signal, wake }) {
            starts.push(signal.aborted ? 'aborted' : 'running');
            if (starts.length === 1) throw new Error('not yet');
            wake(`${namespace}/b`);
          },
        },
      ],
      async reconcile(object) {
        passes.push(object.metadata.name);
        return done;
      },
    }),
  );
  {
    await using _ = cluster;
    await cluster.client.create(Site, site('a', { host: 'polled' }));
    await cluster.client.create(Site, site('b'));
    assert.deepEqual(await cluster.woken(), ['a', 'b']);
    hooks.wake(`${namespace}/b`);
    hooks.wake(`${namespace}/unknown`);
    assert.deepEqual(await cluster.woken(), ['b']);
    await cluster.clock.advance(10_000);
    assert.deepEqual(await cluster.woken(), ['b'], 'the one that failed began again');
    await cluster.clock.advance(60_000);
    assert.deepEqual(await cluster.woken(), [], 'the poll failed');
    await cluster.clock.advance(60_000);
    assert.deepEqual(await cluster.woken(), ['a'], 'and was asked again');
    await cluster.clock.advance(3_600_000);
    assert.deepEqual(await cluster.woken(), ['a', 'b']);
  }
  hooks.wake(`${namespace}/b`); // nothing runs, and nothing happens
  assert.deepEqual(starts, ['running', 'running']);
  assert.throws(() => every(0), /every: everyMs must be greater than 0, received 0/);
  assert.throws(() => polling({ everyMs: -1, poll: async () => [] }), /polling: everyMs .* received -1/);
});

test('of owned kinds, only the updates and the objects matter that the declaration selects', async () => {
  const labels = { 'managed-by': 'watching' };
  const cached: string[] = [];
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      owns: [
        own(ConfigMap, { labels, when: changed(({ data }) => data) }),
        removable(ServiceAccount, { when: () => false }),
      ],
      async reconcile({ metadata: { name }, spec }, { owned, cache }) {
        passes.push(name);
        if (spec.host === 'bare') await owned.apply(ConfigMap, { metadata: { name: 'bare' } });
        await owned.apply(ConfigMap, { metadata: { name, labels }, data: { a: '1' } });
        await owned.apply(ServiceAccount, { metadata: { name } });
        cached.splice(0, cached.length, ...cache.list(ConfigMap).map(keyOf));
        return done;
      },
    }),
  );
  await cluster.client.create(ConfigMap, named('unrelated'));
  await cluster.client.create(Site, site('a'));
  assert.deepEqual(await cluster.woken(), ['a']);
  assert.deepEqual(cached, ['default/a']);
  await cluster.client.patch(ConfigMap, 'default/a', { metadata: { annotations: { theirs: 'yes' } } });
  await cluster.client.patch(ServiceAccount, 'default/a', { automountServiceAccountToken: false });
  assert.deepEqual(await cluster.woken(), []);
  await cluster.client.patch(ConfigMap, 'default/a', { data: { a: '2' } });
  assert.deepEqual(await cluster.woken(), ['a']);
  assert.equal((await cluster.client.get(ConfigMap, 'default/a')).data?.a, '1');
  await cluster.client.patch(ConfigMap, 'default/a', { metadata: { labels: { 'managed-by': null } } });
  assert.deepEqual(await cluster.woken(), ['a'], 'what leaves the selection is gone, as far as the watch knows');
  assert.deepEqual((await cluster.client.get(ConfigMap, 'default/a')).metadata.labels, labels);
  await cluster.client.delete(ServiceAccount, 'default/a');
  assert.deepEqual(await cluster.woken(), ['a']);
  await cluster.client.create(Site, site('b', { host: 'bare' }));
  await cluster.woken();
  assert.equal(await cluster.client.find(ConfigMap, 'default/bare'), undefined);
  assert.equal(
    cluster.failure('b'),
    'owned.apply: ConfigMap default/bare needs the labels by which it is owned: managed-by=watching',
  );
});

test('a selector of the reconciled kind leaves all others alone', async () => {
  const selector = { labels: { shard: 'a' } };
  await using cluster = await watching((passes) =>
    controller({
      for: Site,
      selector,
      async reconcile({ metadata }, { cache }) {
        passes.push(`${metadata.name} of ${cache.list(Site).length}`);
        return done;
      },
    }),
  );
  await cluster.client.create(Site, { ...site('a'), metadata: { ...site('a').metadata, ...selector } });
  await cluster.client.create(Site, site('b'));
  assert.deepEqual(await cluster.woken(), ['a of 1']);
  await cluster.client.patch(Site, 'default/b', { metadata: selector });
  assert.deepEqual(await cluster.woken(), ['b of 2']);
  await cluster.client.patch(Site, 'default/a', { metadata: { labels: { shard: 'b' } } });
  await cluster.client.patch(Site, 'default/a', { spec: { host: 'x' } });
  assert.deepEqual(await cluster.woken(), []);
});

test('a reconciled kind with a selector is not watched without it', async () => {
  const unclear = controller({
    for: Site,
    selector: { labels: { shard: 'a' } },
    watches: [watch(Site, { to: byOwner })],
    reconcile: async () => done,
  });
  await using cluster = await startCluster({ kinds: [Site] });
  const { transport } = cluster.cluster;
  const options = { transport, clock: cluster.clock, health: false, metrics: false, logger: silent } as const;
  await assert.rejects(
    createManager(operator({ name: 'x', controllers: [unclear] }), options).start(new AbortController().signal),
    { message: 'Site is reconciled by a selector and watched without it; give both the same selection' },
  );
});

test('the Roles of an operator of some namespaces are all that it needs', async () => {
  const passes: string[] = [];
  const errors: unknown[] = [];
  const scoped = operator({
    name: 'scoped',
    controllers: [
      controller({
        for: Site,
        owns: [ConfigMap],
        refers: [{ to: Secret, by: ({ spec }) => spec.secret, namespaces: ['vault'] }],
        async reconcile(object, { owned, status, events }) {
          passes.push(keyOf(object));
          await owned.apply(ConfigMap, { metadata: { name: object.metadata.name } });
          await status.apply({ seen: 'yes' });
          events.normal('Seen', 'It was seen.');
          return done;
        },
      }),
    ],
  });
  await using cluster = await startCluster({ kinds: [Site] });
  const { client, clock } = cluster;
  const namespaces = ['one', 'two'];
  for (const name of [...namespaces, 'three', 'vault']) await client.create(Namespace, { metadata: { name } });
  const roles = rolesOf(scoped, { namespace: 'system', namespaces });
  assert.deepEqual(
    roles.map((role) => role.namespace),
    ['one', 'two', 'vault'],
  );
  const subjects = [{ kind: 'User', name: 'scoped', apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { kind: 'Role', name: 'scoped', apiGroup: 'rbac.authorization.k8s.io' };
  for (const { namespace: place = '', rules } of roles) {
    await client.create(Role, { ...named('scoped', place), rules });
    await client.create(RoleBinding, { ...named('scoped', place), subjects, roleRef });
  }
  const stop = new AbortController();
  const logger = { ...silent, warn: (...line: unknown[]) => errors.push(line), with: () => logger };
  const transport = cluster.cluster.transportAs({ name: 'scoped', groups: ['system:authenticated'] });
  const own = createClient({ transport, clock });
  assert.deepEqual(await missingAccess(own, roles), []);
  const missing = await missingAccess(own, rolesOf(scoped, { namespace: 'system', namespaces: ['one', 'three'] }));
  assert.deepEqual([...new Set(missing.map((each) => each.namespace))], ['three']);
  assert.equal(
    printMissing(missing[0] as MissingAccess),
    'apiGroups: [""], resources: ["configmaps"], verbs: ["get","list","watch","create","patch"] in namespace three',
  );
  const everywhere = await missingAccess(own, rolesOf(scoped, { namespace: 'system' }));
  assert.deepEqual([...new Set(everywhere.map((each) => each.namespace))], [undefined]);
  const manager = createManager(scoped, { transport, clock, namespaces, health: false, metrics: false, logger });
  const running = manager.start(stop.signal);
  for (const place of [...namespaces, 'three']) await client.create(Site, { ...named('a', place), spec: {} });
  await clock.advance(10_000);
  assert.deepEqual([...new Set(passes)].sort(), ['one/a', 'two/a']);
  for (const place of namespaces) {
    assert.equal((await client.get(Site, `${place}/a`)).status?.seen, 'yes');
    assert.ok(await client.find(ConfigMap, `${place}/a`));
    assert.equal((await client.list(Event, { namespace: place })).items.length, 1);
  }
  assert.deepEqual(errors, []);
  stop.abort();
  await clock.settle();
  await running;
});
