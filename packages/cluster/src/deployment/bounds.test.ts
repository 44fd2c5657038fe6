import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment } from '../../test/deployments.ts';
import { boundsOf } from './bounds.ts';

test('percentages of surge are rounded up and those of unavailable pods down', () => {
  const cases = [
    [10, '25%', '25%', { surge: 3, unavailable: 2 }],
    [1, '25%', '25%', { surge: 1, unavailable: 0 }],
    [2, '0%', '1%', { surge: 0, unavailable: 1 }],
    [2, '1%', '0%', { surge: 1, unavailable: 0 }],
    [3, 0, 5, { surge: 0, unavailable: 3 }],
    [0, '25%', '25%', { surge: 0, unavailable: 0 }],
    [4, 2, 0, { surge: 2, unavailable: 0 }],
  ] as const;
  for (const [replicas, maxSurge, maxUnavailable, bounds] of cases) {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } as const;
    assert.deepEqual(boundsOf(deployment({ spec: { replicas, strategy } })), bounds, `${replicas} ${maxSurge}`);
  }
});

test('Recreate has no bounds to use', () => {
  assert.deepEqual(boundsOf(deployment({ spec: { replicas: 3, strategy: { type: 'Recreate' } } })), {
    surge: 0,
    unavailable: 0,
  });
});

test('a bound that cannot be read is refused', () => {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'half' } } as const;
  assert.throws(() => boundsOf(deployment({ spec: { strategy } })), RangeError);
});
