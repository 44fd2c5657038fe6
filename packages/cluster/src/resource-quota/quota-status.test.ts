import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceQuota } from '@keelson/core/v1';
import { statusOf, takesOther } from './quota-status.ts';

const metadata = { name: 'q', namespace: 'n', uid: 'u', resourceVersion: '1' };
const quotaOf = (hard: Record<string, string>, more: object = {}): ResourceQuota =>
  ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard, ...more } }) as ResourceQuota;
const pod = (cpu: string, phase = 'Running') => ({
  metadata,
  spec: { containers: [{ name: 'c', resources: cpu === '' ? {} : { requests: { cpu } } }] },
  status: { phase },
});

test('what is limited is counted, and nothing else; what is not there is zero', () => {
  const quota = quotaOf({ pods: '5', 'requests.cpu': '4', 'count/leases.coordination.k8s.io': '1' });
  const status = statusOf(
    quota,
    [
      { resource: 'pods', objects: [pod('1'), pod('500m'), pod('9', 'Succeeded')] },
      { resource: 'leases.coordination.k8s.io', objects: [] },
      { resource: 'secrets', objects: [{ metadata }] },
    ],
    0,
  );
  assert.deepEqual(status, {
    hard: quota.spec?.hard,
    used: { 'count/leases.coordination.k8s.io': '0', pods: '2', 'requests.cpu': '1500m' },
  });
});

test('pods outside of the scope are left out', () => {
  const status = statusOf(
    quotaOf({ pods: '5' }, { scopes: ['BestEffort'] }),
    [{ resource: 'pods', objects: [pod('1'), pod('')] }],
    0,
  );
  assert.deepEqual(status.used, { pods: '1' });
});

test('a pod that ends takes less than before, one that is marked takes the same', () => {
  assert.equal(takesOther('pods', pod('1'), pod('1', 'Failed'), 0), true);
  assert.equal(takesOther('pods', pod('1', 'Pending'), pod('1'), 0), false);
});
