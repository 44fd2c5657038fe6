import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicaSet } from '../../test/deployments.ts';
import { pod, readySince } from '../../test/pods.ts';
import { statusOf } from './status.ts';

const wallMs = Date.parse('2026-01-01T00:10:00Z');
const labels = { app: 'web', 'pod-template-hash': 'a' };

test('the status counts pods, leaves zeros out and names the generation', () => {
  const active = [
    pod('a', { metadata: { labels }, status: readySince('2026-01-01T00:00:00Z') }),
    pod('b', { metadata: { labels }, status: readySince('2026-01-01T00:09:59Z') }),
    pod('c'),
  ];
  const subject = replicaSet('a', { metadata: { generation: 2 }, spec: { minReadySeconds: 5 } });
  assert.deepEqual(statusOf(subject, { active, terminating: [pod('d')], failure: undefined, wallMs }), {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    observedGeneration: 2,
    terminatingReplicas: 1,
  });
  assert.deepEqual(statusOf(subject, { active: [], terminating: [], failure: undefined, wallMs }), {
    replicas: 0,
    observedGeneration: 2,
    terminatingReplicas: 0,
  });
});

test('a failure is reported with its first words until there is none', () => {
  const failure = { reason: 'FailedCreate', message: 'quota' } as const;
  const seen = { active: [], terminating: [], wallMs };
  const { conditions } = statusOf(replicaSet('a'), { ...seen, failure });
  assert.deepEqual(conditions, [
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: '2026-01-01T00:10:00Z', ...failure },
  ]);
  const failing = replicaSet('a', { status: { replicas: 0, conditions } });
  const later = { reason: 'FailedCreate', message: 'other words' } as const;
  assert.deepEqual(statusOf(failing, { ...seen, failure: later, wallMs: wallMs + 60_000 }).conditions, conditions);
  assert.equal(statusOf(failing, { ...seen, failure: undefined }).conditions, undefined);
});
