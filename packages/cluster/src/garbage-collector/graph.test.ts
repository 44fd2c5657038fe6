import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerReference } from '@keelson/core';
import { type Effects, type Observed, OwnerGraph } from './graph.ts';
import type { Identity } from './identity.ts';

const id = (uid: string, changes: Partial<Identity> = {}): Identity => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'default',
  name: uid,
  uid,
  ...changes,
});
const ref = (uid: string, changes: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...changes,
});
const ownedBy = (...references: readonly OwnerReference[]): Observed => ({ ownerReferences: references });
const going = (finalizer: string, more: Observed = {}): Observed => ({
  ...more,
  deletionTimestamp: '2026-01-01T00:00:00Z',
  finalizers: [finalizer],
});
const nothing: Effects = { examine: [], orphan: [], invalid: [] };
const examine = (...uids: readonly string[]): Effects => ({ ...nothing, examine: uids });

test('an owner that nobody has seen must be looked for, one that was seen need not', () => {
  const graph = new OwnerGraph();
  assert.deepEqual(graph.observe(id('child'), ownedBy(ref('owner'))), examine('owner'));
  assert.equal(graph.get('owner')?.isVirtual, true);
  assert.deepEqual(graph.observe(id('owner'), {}), nothing);
  assert.equal(graph.get('owner')?.isVirtual, false);
  assert.deepEqual(graph.observe(id('second'), ownedBy(ref('owner'))), nothing);
});

test('when an owner is gone, all its dependents are looked at and the owner is known to be absent', () => {
  const graph = new OwnerGraph();
  graph.observe(id('owner'), {});
  graph.observe(id('a'), ownedBy(ref('owner')));
  graph.observe(id('b'), ownedBy(ref('owner')));
  assert.deepEqual(graph.observeDeleted(id('owner')), examine('a', 'b'));
  assert.ok(graph.absentOwners.has(ref('owner'), 'default'));
  assert.ok(!graph.absentOwners.has(ref('owner'), 'elsewhere'));
  assert.ok(!graph.absentOwners.has(ref('owner', { name: 'other' }), 'default'));
  assert.deepEqual(graph.observeDeleted(id('owner')), nothing);
});

test('a foreground deletion looks at the dependents and at the owner itself, once', () => {
  const graph = new OwnerGraph();
  graph.observe(id('owner'), {});
  graph.observe(id('a'), ownedBy(ref('owner', { blockOwnerDeletion: true })));
  graph.observe(id('b'), ownedBy(ref('owner')));
  assert.deepEqual(graph.observe(id('owner'), going('foregroundDeletion'), {}), examine('a', 'b', 'owner'));
  assert.deepEqual(graph.observe(id('owner'), going('foregroundDeletion'), going('foregroundDeletion')), nothing);
  assert.deepEqual(
    graph.blockingDependentsOf('owner').map(({ identity }) => identity.uid),
    ['a'],
  );
  assert.deepEqual(graph.observeDeleted(id('a')), examine('owner'));
  assert.deepEqual(graph.blockingDependentsOf('owner'), []);
});

test('an orphaning deletion is a matter of its own', () => {
  const graph = new OwnerGraph();
  assert.deepEqual(graph.observe(id('owner'), going('orphan')), { ...nothing, orphan: ['owner'] });
});

test('an owner that waits is looked at when a dependent lets go of it or no longer blocks it', () => {
  const graph = new OwnerGraph();
  const blocking = ownedBy(ref('owner', { blockOwnerDeletion: true }));
  graph.observe(id('owner'), {});
  graph.observe(id('a'), blocking);
  assert.deepEqual(
    graph.observe(id('a'), ownedBy(ref('owner', { blockOwnerDeletion: false })), blocking),
    examine('owner'),
  );
  assert.equal(graph.dependentsOf('owner').length, 1);
  graph.observe(id('a'), blocking);
  assert.deepEqual(graph.observe(id('a'), {}, blocking), examine('owner'));
  assert.equal(graph.dependentsOf('owner').length, 0);
});

test('a reference into another namespace is reported, whichever of the two is seen first', () => {
  const elsewhere = id('owner', { namespace: 'elsewhere' });
  const invalid = [{ dependent: id('a'), reference: ref('owner') }];
  const ownerFirst = new OwnerGraph();
  ownerFirst.observe(elsewhere, {});
  assert.deepEqual(ownerFirst.observe(id('a'), ownedBy(ref('owner'))), { examine: ['a'], orphan: [], invalid });
  const dependentFirst = new OwnerGraph();
  dependentFirst.observe(id('a'), ownedBy(ref('owner')));
  assert.deepEqual(dependentFirst.observe(elsewhere, {}), { examine: ['a'], orphan: [], invalid });
});

test('a reference with another name or kind than the owner has is looked at, and may be right by the server', () => {
  const graph = new OwnerGraph();
  graph.observe(id('owner'), {});
  assert.deepEqual(graph.observe(id('a'), ownedBy(ref('owner', { kind: 'Secret' }))), examine('a'));
});

test('a cluster-scoped owner is right from every namespace', () => {
  const graph = new OwnerGraph();
  graph.observe(id('node', { kind: 'Node', namespace: '' }), {});
  assert.deepEqual(graph.observe(id('a'), ownedBy(ref('node', { kind: 'Node' }))), nothing);
});

test('an absent virtual owner leaves its dependents to be looked at', () => {
  const graph = new OwnerGraph();
  graph.observe(id('a'), ownedBy(ref('owner')));
  assert.deepEqual(graph.confirmAbsent(id('owner')), examine('a'));
  assert.equal(graph.get('owner'), undefined);
});

test('dependents that disagree about an absent owner are taken one identity at a time', () => {
  const graph = new OwnerGraph();
  graph.observe(id('a'), ownedBy(ref('owner')));
  graph.observe(id('b'), ownedBy(ref('owner', { kind: 'Secret' })));
  assert.deepEqual(graph.confirmAbsent(id('owner')), examine('a', 'owner'));
  assert.equal(graph.get('owner')?.identity.kind, 'Secret');
  assert.deepEqual(graph.confirmAbsent(id('owner', { kind: 'Secret' })), examine('b', 'owner'));
});

test('that a wrong identity is absent does not remove an owner that was seen', () => {
  const graph = new OwnerGraph();
  graph.observe(id('owner'), {});
  graph.observe(id('a'), ownedBy(ref('owner', { kind: 'Secret' })));
  graph.observe(id('b'), ownedBy(ref('owner')));
  assert.deepEqual(graph.confirmAbsent(id('owner', { kind: 'Secret' })), examine('a'));
  assert.ok(graph.get('owner'));
});

test('only the latest absent owners are remembered', () => {
  const graph = new OwnerGraph();
  for (let i = 0; i < 501; i++) graph.absentOwners.add(id(`o${i}`));
  assert.ok(!graph.absentOwners.has(ref('o0'), 'default'));
  assert.ok(graph.absentOwners.has(ref('o1'), 'default'));
  assert.ok(graph.absentOwners.has(ref('o500'), 'default'));
});

test('ten thousand owners cost ten times as much as a thousand', () => {
  const cost = (count: number): number => {
    const uids = Array.from({ length: count }, (_, i) => `owner-${i}`);
    const graph = new OwnerGraph();
    const before = process.threadCpuUsage();
    graph.observe(id('child'), ownedBy(...uids.map((uid) => ref(uid, { blockOwnerDeletion: true }))));
    for (const uid of uids) graph.confirmAbsent(id(uid));
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const [few, many] = [Math.min(cost(1000), cost(1000), cost(1000)), Math.min(cost(10_000), cost(10_000))];
  // The square would be a hundred times, several seconds.
  assert.ok(many < 100 || many / few < 40, `${few} ms for a thousand, ${many} ms for ten thousand`);
});
