import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedState } from './recording.ts';
import { Script } from './script.ts';

const uids = {
  Cache: '00000000-1111-4111-8111-000000000001',
  Deployment: '00000000-1111-4111-8111-000000000002',
  Pod: '00000000-1111-4111-8111-000000000003',
};

let at = 0;
const state = (kind: keyof typeof uids, more: object = {}): RecordedState => {
  at += 10;
  const metadata = {
    name: 'cache-00000',
    namespace: 'x',
    uid: uids[kind],
    resourceVersion: '7',
    creationTimestamp: '',
  };
  return { kind, type: 'ADDED', object: { apiVersion: 'v1', kind, metadata, ...more } as never, atMs: at };
};
const notReady = { nodes: [], conditions: [{ type: 'Available', status: 'False' }] };
const ready = { nodes: ['cache-00000-a'], conditions: [{ type: 'Available', status: 'True' }] };
const recorded = [
  state('Cache'),
  state('Deployment', { owner: uids.Cache }),
  state('Cache', { status: notReady }),
  state('Pod'),
  state('Cache', { status: ready }),
];

test('each Cache has its own name and uids, and every state a resourceVersion of its own', () => {
  const script = new Script(recorded);
  const [first, second] = [script.initial(1), script.initial(12_345)].map(({ line }) => JSON.parse(line));
  assert.deepEqual([first.object.metadata.name, second.object.metadata.name], ['cache-00001', 'cache-12345']);
  assert.equal(second.object.metadata.uid, '00000000-1111-4111-8111-000000012345');
  assert.ok(Number(second.object.metadata.resourceVersion) > Number(first.object.metadata.resourceVersion));
  assert.equal(script.resourceVersion, second.object.metadata.resourceVersion);
});

test('a Deployment is answered as its watch tells it, and what followed it follows as late', () => {
  const script = new Script(recorded);
  const { answer, told } = script.deploymentMade(3);
  assert.equal(told.kind, 'Deployment');
  assert.deepEqual(JSON.parse(answer), JSON.parse(told.line).object);
  assert.equal(JSON.parse(answer).owner, '00000000-1111-4111-8111-000000000003');
  const following = [...script.following()].map(({ afterMs, tell }) => [afterMs, tell(3).kind]);
  assert.deepEqual(following, [[20, 'Pod']]);
});

test('a status is read back as it was written', () => {
  const script = new Script(recorded);
  const nodes = ['cache-00004-b'];
  const written = script.statusWritten(4, { ...ready, nodes } as never);
  assert.deepEqual([written.isAvailable, JSON.parse(written.answer).status.nodes], [true, nodes]);
  assert.equal(JSON.parse(written.told.line).object.metadata.name, 'cache-00004');
  assert.equal(script.statusWritten(4, notReady).isAvailable, false);
});

test('a recording without a Deployment or without a Cache is refused', () => {
  assert.throws(() => new Script(recorded.filter(({ kind }) => kind === 'Cache')), /a Deployment is made first/);
  assert.throws(() => new Script(recorded.filter(({ kind }) => kind !== 'Cache')), /a recording of a Cache/);
});
