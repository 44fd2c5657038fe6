import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
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
