import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim } from '../../test/claims.ts';
import { pod } from '../../test/pods.ts';
import { volumeWait } from './volumes.ts';

const user = pod('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } });
const bound = { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } };

test('a pod waits until its claims are there and bound, or until their class may know the node', () => {
  const wait = (changes?: Parameters<typeof claim>[1], isDelayed = false) =>
    volumeWait(user, {
      claim: (key) => (changes && key === 'default/c' ? claim('c', changes) : undefined),
      isDelayed: () => isDelayed,
    });
  assert.deepEqual(wait(bound), { type: 'ready' });
  assert.deepEqual(wait(), { type: 'refused', reason: 'persistentvolumeclaim "c" not found' });
  assert.deepEqual(wait({}), { type: 'refused', reason: 'pod has unbound immediate PersistentVolumeClaims' });
  assert.deepEqual(wait({}, true), { type: 'undecided', claims: [claim('c')] });
  assert.equal(wait({ spec: { volumeName: 'v' } }, true).type, 'refused');
  assert.deepEqual(volumeWait(pod('q'), { claim: () => undefined, isDelayed: () => false }), { type: 'ready' });
});
