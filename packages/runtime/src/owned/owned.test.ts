import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, controllerReference, isConflict, type KubernetesObject } from '@keelson/core';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import { rememberingLogger } from '../../test/widget.ts';
import type { PlannedWrite } from '../storms/storms.ts';
import { NoOpApplies } from './no-op-apply.ts';
import { createOwned, type OwnedOptions } from './owned.ts';

const metadataOf = (name: string, namespace?: string) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: 'then',
});
const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf('owner', 'ns') };
const reference = controllerReference(ConfigMap, owner);
const child = (name: string, metadata: Partial<KubernetesObject['metadata']> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...metadataOf(name, 'ns'), ownerReferences: [reference], ...metadata },
});

interface World {
  readonly cached?: readonly KubernetesObject[];
  /** What the server has and no cache shows. */
  readonly live?: readonly KubernetesObject[];
  /** What is to be made was there when that was asked for, and is gone when it is looked at. */
  readonly isThere?: boolean;
  readonly options?: Partial<OwnedOptions>;
  readonly onDelete?: () => void;
}

function refusal(code: number, reason: string): ApiError {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message: reason };
  return new ApiError('test', status as never);
}

function given({ cached = [], live = [], isThere = false, options = {}, onDelete = () => {} }: World = {}) {
  const sent: unknown[] = [];
  const planned: PlannedWrite[] = [];
  const remedies: unknown[] = [];
  const logger = rememberingLogger();
  const named = (objects: readonly KubernetesObject[], key: string) =>
    objects.find(({ metadata }) => key === [metadata.namespace, metadata.name].filter(Boolean).join('/'));
  const client = {
    find: async (_kind: unknown, key: string) => named(live, key),
    async apply(_kind: unknown, wanted: KubernetesObject, how: unknown) {
      const { namespace, name, resourceVersion } = wanted.metadata;
      if (resourceVersion !== undefined && (isThere || named(live, `${namespace}/${name}`)))
        throw refusal(409, 'Conflict');
      sent.push({ apply: wanted, how });
      return { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '2' } };
    },
    async delete(_kind: unknown, key: string, how: unknown) {
      sent.push({ delete: key, how });
      onDelete();
    },
  };
  const caches = {
    store: (_kind: unknown, remedy: unknown) => {
      remedies.push(remedy);
      return {
        get: (key: string) => named(cached, key),
        list: ({ namespace }: { readonly namespace?: string }) =>
          cached.filter(({ metadata }) => metadata.namespace === namespace),
      };
    },
  };
  const written: unknown[] = [];
  const storms = {
    beforeWrite: async (key: string, write: PlannedWrite) => {
      planned.push(write);
      written.push(`before ${key}`);
    },
    written: (key: string, target: string) => void written.push(`after ${key} ${target}`),
  };
  const owned = createOwned({
    client,
    caches,
    applied: new NoOpApplies('me'),
    logger,
    ownerKind: ConfigMap,
    owner,
    owns: [],
    storms,
    recorder: { event: () => assert.fail('nothing was removed') },
    ...options,
  } as unknown as OwnedOptions);
  return { owned, sent, planned, written, logger, remedies };
}

test('what is described is applied with its place and its owner, and nothing of the author is lost', async () => {
  const { owned, sent, planned, written, logger, remedies } = given();
  const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'x' };
  await owned.apply(ConfigMap, {
    metadata: { name: 'a', labels: { x: 'y' }, ownerReferences: [other] },
    data: { k: 'v' },
  });
  assert.deepEqual(sent, [
    {
      apply: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'a',
          namespace: 'ns',
          labels: { x: 'y' },
          ownerReferences: [other, reference],
          resourceVersion: '1', // which no object has: it is made, or nothing is written
        },
        data: { k: 'v' },
      },
      how: { force: true },
    },
  ]);
  assert.deepEqual(written, ['before ns/owner', 'after ns/owner ConfigMap ns/a']);
  const { target, isDescription, live, fields, askManagers } = planned[0] ?? assert.fail();
  assert.deepEqual(
    [target, isDescription, live, fields(), await askManagers()],
    ['ConfigMap ns/a', true, undefined, [], []],
  );
  const { message, fields: said } = logger.lines[0] ?? assert.fail();
  assert.deepEqual(
    [message, said],
    ['Creating a new ConfigMap', { 'ConfigMap.Namespace': 'ns', 'ConfigMap.Name': 'a' }],
  );
  assert.deepEqual(remedies, ['add it to owns']);
});

test('an object that is there is written over as that object, also when only the server knows of it', async () => {
  for (const world of [{ cached: [child('a')] }, { live: [child('a')] }]) {
    const { owned, sent, planned, logger } = given(world);
    await owned.apply(ConfigMap, { metadata: { name: 'a' } });
    const { apply } = sent[0] as { readonly apply: KubernetesObject };
    assert.deepEqual([apply.metadata.uid, apply.metadata.resourceVersion], ['uid-a', undefined]);
    assert.deepEqual(
      planned.map(({ live }) => live),
      [child('a')],
      'one write is counted once',
    );
    assert.equal(logger.lines[0]?.message, 'Updating ConfigMap');
  }
});

test("another's object is refused, a free one is taken where that is asked for, and one that goes is left", async () => {
  const bare = child('a', { ownerReferences: [] });
  const others = child('a', { ownerReferences: [{ ...reference, uid: 'other' }] });
  const apply = (object: KubernetesObject, adopt: boolean) => {
    const { owned, sent } = given({ cached: [object] });
    return owned.apply(ConfigMap, { metadata: { name: 'a' } }, { adopt }).then((answer) => ({ answer, sent }));
  };
  for (const [object, adopt] of [
    [bare, false],
    [others, false],
    [others, true],
  ] as const)
    await assert.rejects(apply(object, adopt), { code: 'ERR_NOT_CONTROLLED' });
  assert.equal((await apply(bare, true)).sent.length, 1);
  const going = child('a', { deletionTimestamp: 'now' });
  assert.deepEqual(await apply(going, false), { answer: going, sent: [] });
});

test('what someone else made before the watch has shown it is not taken over', async () => {
  const { owned, sent, logger } = given({ live: [child('a', { ownerReferences: [] })] });
  await assert.rejects(owned.apply(ConfigMap, { metadata: { name: 'a' } }), { code: 'ERR_NOT_CONTROLLED' });
  assert.deepEqual([sent, logger.lines], [[], []]);
});

test('what came before it could be made and went before it could be read is a conflict', async () => {
  await assert.rejects(given({ isThere: true }).owned.apply(ConfigMap, { metadata: { name: 'a' } }), isConflict);
});

test('an apply that would change nothing is not sent', async () => {
  const fieldsV1 = {
    'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${reference.uid}"}`]: {} } },
    'f:data': { 'f:k': {} },
  };
  const existing = {
    ...child('a', { managedFields: [{ manager: 'me', operation: 'Apply', fieldsV1 }] }),
    data: { k: 'v' },
  };
  const { owned, sent, planned } = given({ cached: [existing] });
  assert.equal(await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { k: 'v' } }), existing);
  assert.deepEqual([sent, planned], [[], []]);
  await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { k: 'w' } });
  assert.deepEqual(planned[0]?.fields(), [['data', 'k']]);
});

test('a name that is generated, a foreign namespace and labels outside of the selection are refused', async () => {
  const { owned } = given({ options: { owns: [{ own: ConfigMap, labels: { app: 'x' } }] } });
  await assert.rejects(
    owned.apply(ConfigMap, { metadata: { generateName: 'a-' } } as never),
    /^TypeError: owned.apply: ConfigMap needs metadata.name; a generated name cannot be applied/,
  );
  await assert.rejects(owned.apply(ConfigMap, { metadata: { name: 'a', namespace: 'other' } }), /ConfigMap a/);
  await assert.rejects(owned.apply(ClusterRole, { metadata: { name: 'a' }, rules: [] }), /ClusterRole a/);
  await assert.rejects(
    owned.apply(ConfigMap, { metadata: { name: 'a' } }),
    /^TypeError: owned.apply: ConfigMap ns\/a needs the labels by which it is owned: app=x/,
  );
  await owned.apply(ConfigMap, { metadata: { name: 'a', labels: { app: 'x' } } });
});

test('a cluster-scoped owner owns in any namespace, and none of its own is made up', async () => {
  const cluster = { apiVersion: 'v1', kind: 'Namespace', metadata: metadataOf('team') };
  const { owned, sent } = given({ options: { owner: cluster, ownerKind: Namespace } });
  await owned.apply(ConfigMap, { metadata: { name: 'a', namespace: 'team' } });
  await owned.apply(ClusterRole, { metadata: { name: 'a' }, rules: [] });
  assert.deepEqual(
    sent.map((each) => (each as { readonly apply: KubernetesObject }).apply.metadata.namespace),
    ['team', undefined],
  );
});

test('what should not be is deleted by its uid, if it is there, ours and not going already', async () => {
  const cached = [
    child('a'),
    child('going', { deletionTimestamp: 'now' }),
    child('foreign', { ownerReferences: [] }),
    child('elsewhere', { namespace: 'other' }),
  ];
  const { owned, sent, logger, remedies } = given({ cached });
  for (const name of ['a', 'going', 'foreign', 'unknown', 'elsewhere']) await owned.absent(ConfigMap, name);
  assert.deepEqual(sent, [{ delete: 'ns/a', how: { preconditions: { uid: 'uid-a' } } }]);
  assert.deepEqual(
    logger.lines.map(({ message, fields }) => [message, fields]),
    [['Deleting the ConfigMap', { 'ConfigMap.Namespace': 'ns', 'ConfigMap.Name': 'a' }]],
  );
  assert.equal(remedies[0], 'add removable(ConfigMap) to owns');
});

test('of what is controlled, only what is named stays', async () => {
  const cached = [
    child('a'),
    child('b'),
    child('foreign', { ownerReferences: [] }),
    child('c', { namespace: 'other' }),
  ];
  const { owned, sent } = given({ cached });
  await owned.only(ConfigMap, ['b']);
  assert.deepEqual(
    sent.map((each) => (each as { readonly delete: string }).delete),
    ['ns/a'],
  );
});

test('who deletes what is gone meanwhile has nothing to report; any other failure is one', async () => {
  const failure = (code: number, reason: string) => () => {
    throw refusal(code, reason);
  };
  const cached = [child('a')];
  await given({ cached, onDelete: failure(404, 'NotFound') }).owned.absent(ConfigMap, 'a');
  await assert.rejects(
    given({ cached, onDelete: failure(403, 'Forbidden') }).owned.absent(ConfigMap, 'a'),
    /Forbidden/,
  );
});

class CountingApplies extends NoOpApplies {
  checks = 0;

  override wouldChangeNothing(...args: Parameters<NoOpApplies['wouldChangeNothing']>): boolean {
    this.checks += 1;
    return super.wouldChangeNothing(...args);
  }
}

const settledChild = (value: string) => ({
  ...child('a', {
    managedFields: [
      {
        manager: 'me',
        operation: 'Apply',
        fieldsV1: {
          'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${owner.metadata.uid}"}`]: {} } },
          'f:data': { 'f:k': {} },
        },
      },
    ],
  }),
  data: { k: value },
});

test('the same wish for the same parts is compared once, and again when a part is another', async () => {
  const first = settledChild('v');
  const cached: KubernetesObject[] = [first];
  const applied = new CountingApplies('me');
  const { owned, sent } = given({ cached, options: { applied } });
  const wish = () => ({ metadata: { name: 'a' }, data: { k: 'v' } });
  await owned.apply(ConfigMap, wish());
  cached[0] = { ...first, metadata: { ...first.metadata, resourceVersion: '2' } };
  await owned.apply(ConfigMap, wish());
  assert.deepEqual({ checks: applied.checks, sent: sent.length }, { checks: 1, sent: 0 });

  const drifted = { ...cached[0], data: { k: 'drifted' } };
  cached[0] = drifted;
  await owned.apply(ConfigMap, wish());
  assert.deepEqual({ checks: applied.checks, sent: sent.length }, { checks: 2, sent: 1 });
});

test('what no cache shows is compared each time, since nobody would hear of its end', async () => {
  const applied = new CountingApplies('me');
  const { owned, sent } = given({ live: [settledChild('v')], options: { applied } });
  for (let i = 0; i < 2; i++) await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { k: 'v' } });
  assert.deepEqual({ checks: applied.checks, sent: sent.length }, { checks: 2, sent: 0 });
});
