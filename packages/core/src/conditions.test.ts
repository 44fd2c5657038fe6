import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, conditionOf, setCondition } from './conditions.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const available = { type: 'Available', status: 'True', reason: 'Ready', message: 'All ready.' } as const;

test('a new condition is stamped with the time and the generation', () => {
  assert.deepEqual(setCondition([], available, { generation: 2, wallMs: noon }), [
    { ...available, observedGeneration: 2, lastTransitionTime: '2026-01-01T12:00:00Z' },
  ]);
});

test('the time of a condition changes only when its status does', () => {
  const before = setCondition([], available, { generation: 1, wallMs: noon });
  const later = { generation: 2, wallMs: noon + 60_000 };

  const [sameStatus] = setCondition(before, { ...available, reason: 'StillReady' }, later);
  const [otherStatus] = setCondition(before, { ...available, status: 'False' }, later);

  assert.equal(sameStatus?.lastTransitionTime, '2026-01-01T12:00:00Z');
  assert.equal(sameStatus?.reason, 'StillReady');
  assert.equal(otherStatus?.lastTransitionTime, '2026-01-01T12:01:00Z');
});

test('other conditions keep their place', () => {
  const foreign: Condition = { type: 'Foreign', status: 'True', reason: 'X', message: '', lastTransitionTime: 'then' };
  const before = setCondition([foreign], available, { generation: 1, wallMs: noon });
  const after = setCondition(before, { ...available, status: 'False' }, { generation: 1, wallMs: noon });
  assert.deepEqual(
    after.map(({ type, status }) => `${type}=${status}`),
    ['Foreign=True', 'Available=False'],
  );
  assert.equal(after[0], foreign);
});

test('a condition about an older generation, or none at all, is Unknown', () => {
  const conditions = setCondition([], available, { generation: 1, wallMs: noon });
  assert.equal(conditionOf({ metadata: { generation: 1 }, status: { conditions } }, 'Available').status, 'True');
  assert.equal(conditionOf({ metadata: { generation: 2 }, status: { conditions } }, 'Available').status, 'Unknown');
  assert.equal(conditionOf({ metadata: {} }, 'Available').status, 'Unknown');
});

test('a condition that names no generation is taken at its word', () => {
  const conditions = setCondition([], available, { generation: undefined, wallMs: noon });
  assert.equal(conditionOf({ metadata: { generation: 7 }, status: { conditions } }, 'Available').status, 'True');
});

test('where conditions name no generation, that of the status counts, as in a Deployment', () => {
  const conditions = [{ type: 'Available', status: 'True' }];
  const statusAt = (observedGeneration: number) =>
    conditionOf({ metadata: { generation: 2 }, status: { observedGeneration, conditions } }, 'Available').status;
  assert.equal(statusAt(1), 'Unknown');
  assert.equal(statusAt(2), 'True');
  const own = [{ type: 'Available', status: 'True', observedGeneration: 2 }];
  const object = { metadata: { generation: 2 }, status: { observedGeneration: 1, conditions: own } };
  assert.equal(conditionOf(object, 'Available').status, 'True');
});
