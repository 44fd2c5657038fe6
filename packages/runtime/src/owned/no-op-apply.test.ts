import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { printPath } from '../field-diff.ts';
import { NoOpApplies } from './no-op-apply.ts';

/** A stored Deployment whose fields `me` has applied, as the server keeps and normalises it. */
const live = ({ replicas = 3, cpu = '100m', owned = true } = {}): KubernetesObject & { readonly spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'cache',
    namespace: 'default',
    uid: 'uid-1',
    resourceVersion: '7',
    creationTimestamp: 'then',
    labels: { app: 'cache', 'set-by': 'someone else' },
    ...(owned && {
      managedFields: [
        {
          manager: 'me',
          operation: 'Apply',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:app': {} } },
            'f:spec': { 'f:replicas': {}, 'f:cpu': {} },
          },
        },
      ],
    }),
  },
  spec: { replicas, cpu, paused: false },
});

const wanted = ({ replicas = 3, cpu = '100m', labels = { app: 'cache' } as Record<string, string> } = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cache', namespace: 'default', uid: 'uid-1', labels },
  spec: { cpu, replicas },
});

test('what is there already would change nothing, whatever others have set', () => {
  assert.ok(new NoOpApplies('me').wouldChangeNothing(live(), wanted()));
});

test('another value, a field more, a field fewer, and fields that nobody applied are changes', () => {
  const state = new NoOpApplies('me');
  assert.ok(!state.wouldChangeNothing(live({ replicas: 2 }), wanted()), 'drift');
  assert.ok(!state.wouldChangeNothing(live(), wanted({ replicas: 4 })), 'another wish');
  assert.ok(!state.wouldChangeNothing(live(), wanted({ labels: { app: 'cache', more: 'x' } })), 'a field more');
  assert.ok(!state.wouldChangeNothing(live(), wanted({ labels: {} })), 'a field fewer');
  assert.ok(!state.wouldChangeNothing(live({ owned: false }), wanted()), 'not applied by us');
  assert.ok(!new NoOpApplies('you').wouldChangeNothing(live(), wanted()), 'applied by someone else');
});

test('a value that the server writes in its own way is sent once, not for ever', () => {
  const state = new NoOpApplies('me');
  const wish = wanted({ cpu: '0.1' });
  assert.ok(!state.wouldChangeNothing(live(), wish));

  state.remember(live(), wish);

  assert.ok(state.wouldChangeNothing(live(), wish));
  assert.ok(!state.wouldChangeNothing(live({ replicas: 5 }), wish), 'drift is still seen');
  assert.ok(!state.wouldChangeNothing(live(), wanted({ cpu: '0.2' })), 'another wish is still sent');
  state.forget('uid-1');
  assert.ok(!state.wouldChangeNothing(live(), wish), 'forgotten with the object');
});

test('the order of members does not count, neither in what was sent nor in what came of it', () => {
  const state = new NoOpApplies('me');
  const wish = (spec: object) => ({ ...wanted(), spec });
  state.remember(live(), wish({ cpu: '0.1', replicas: 3 }));
  assert.ok(state.wouldChangeNothing(live(), wish({ replicas: 3, cpu: '0.1' })));
});

test('what became equal after all is not remembered', () => {
  const state = new NoOpApplies('me');
  const wish = wanted({ cpu: '0.1' });
  state.remember(live(), wish);
  state.remember(live(), wanted());
  assert.ok(!state.wouldChangeNothing(live(), wish));
  state.remember(live(), wish);
  state.remember(live({ owned: false }), wish);
  assert.ok(!state.wouldChangeNothing(live(), wish), 'what is not ours has no outcome');
});

test('a status has an outcome of its own, which is forgotten with the object', () => {
  const state = new NoOpApplies('me');
  const entry = { manager: 'me', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': { 'f:cpu': {} } } };
  const { managedFields: _, ...metadata } = live().metadata;
  const object = { ...live(), metadata: { ...metadata, managedFields: [entry] }, status: { cpu: '100m' } };
  const wish = { metadata: { name: 'cache' }, status: { cpu: '0.1' } };
  assert.ok(state.wouldChangeNothing(object, { ...wish, status: { cpu: '100m' } }, 'status'));
  assert.ok(state.wouldChangeNothing(object, { status: { cpu: '100m' } }, 'status'), 'without metadata');
  state.remember(object, wish, 'status');
  assert.ok(state.wouldChangeNothing(object, wish, 'status'));
  assert.ok(!state.wouldChangeNothing(object, wish), 'only as a status');
  state.forget('uid-1');
  assert.ok(!state.wouldChangeNothing(object, wish, 'status'));
});

test('what differs is told by its fields, and who else has them', () => {
  const state = new NoOpApplies('me');
  const printed = (object: KubernetesObject, wish: object) => state.differences(object, wish).map(printPath);
  assert.deepEqual(printed(live(), wanted({ replicas: 4 })), ['spec.replicas']);
  assert.deepEqual(printed(live(), wanted()), []);
  assert.deepEqual(printed(live({ owned: false }), wanted()), ['metadata', 'spec']);
  const you = { manager: 'you', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:cpu': {} } } };
  const { managedFields = [], ...metadata } = live().metadata;
  const shared = { ...live(), metadata: { ...metadata, managedFields: [...managedFields, you] } };
  assert.deepEqual(
    state.othersAt(shared, [
      ['spec', 'replicas'],
      ['spec', 'cpu'],
    ]),
    ['you'],
  );
  assert.deepEqual(state.othersAt(shared, []), []);
});

test("items that turned out to be nobody's are not asked about again, until there are others or another object", () => {
  const state = new NoOpApplies('me');
  const { managedFields: _, ...metadata } = live().metadata;
  const object = (...ports: readonly number[]) =>
    ({ ...live(), metadata, spec: { ports: ports.map((port) => ({ port })) } }) as unknown as KubernetesObject;
  const wish = { spec: { ports: [] } };
  assert.deepEqual(state.suspects(object(), wish, []), []);
  assert.deepEqual(state.suspects(object(80), wish, []), [{ port: 80 }]);
  assert.deepEqual(state.suspects(object(80), wish, ['spec.ports']), []);
  state.acquit(object(80), [{ port: 80 }]);
  assert.deepEqual(state.suspects(object(80), wish, []), []);
  assert.deepEqual(state.suspects(object(80, 81), wish, []), [{ port: 80 }, { port: 81 }]);
  state.forget('uid-1');
  assert.deepEqual(state.suspects(object(80), wish, []), [{ port: 80 }]);
});

test('a wish that was settled stays so while the parts that it is about are the same ones', () => {
  const state = new NoOpApplies('me');
  const before = live();
  assert.ok(!state.isSettled(before, wanted(), []), 'nobody has looked');
  state.settle(before, wanted(), []);
  const ready = { ...before, metadata: { ...before.metadata, resourceVersion: '8' }, status: { ready: 1 } };
  assert.ok(state.isSettled(ready, wanted(), []), 'only the status is another one');

  assert.ok(!state.isSettled(before, wanted({ replicas: 4 }), []), 'another wish');
  assert.ok(!state.isSettled(before, wanted(), ['spec.replicas']), 'another view of whose it is');
  const { metadata } = before;
  for (const [what, changed] of Object.entries({
    'a spec': { ...before, spec: { ...before.spec } },
    labels: { ...before, metadata: { ...metadata, labels: { ...metadata.labels } } },
    'a field set': { ...before, metadata: { ...metadata, managedFields: live().metadata.managedFields } },
  })) {
    state.settle(before, wanted(), []);
    assert.ok(!state.isSettled(changed as KubernetesObject, wanted(), []), `${what} that came anew`);
    assert.ok(!state.isSettled(before, wanted(), []), 'what it was is forgotten');
  }
  state.settle(before, wanted(), []);
  state.forget('uid-1');
  assert.ok(!state.isSettled(before, wanted(), []), 'the object is gone');
});

test('a spec counts though our field set has nothing of it, since an empty list has no field', () => {
  const state = new NoOpApplies('me');
  const managedFields = [{ manager: 'me', operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:labels': {} } } }];
  const before = { ...live(), metadata: { ...live().metadata, managedFields }, spec: { ports: [] } };
  const wish = { ...wanted(), spec: { ports: [] } };
  state.settle(before, wish, []);
  assert.ok(state.isSettled(before, wish, []));
  const joined = { ...before, spec: { ports: [{ port: 81 }] } };
  assert.ok(!state.isSettled(joined, wish, []), 'somebody has added one');
});

test('what nobody applied is never settled', () => {
  const state = new NoOpApplies('me');
  state.settle(live({ owned: false }), wanted(), []);
  assert.ok(!state.isSettled(live({ owned: false }), wanted(), []));
});
