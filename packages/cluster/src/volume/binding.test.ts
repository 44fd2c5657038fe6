import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim, volume } from '../../test/claims.ts';
import { boundClaim, boundStatus, boundVolume, mismatchOf, volumeFor, withProvisioner } from './binding.ts';

const sized = (name: string, storage: string) => volume(name, { spec: { capacity: { storage } } });
const reference = { namespace: 'default', name: 'c' };

test('a claim gets the volume that is reserved for it, or else the smallest that will do', () => {
  const name = (...volumes: readonly ReturnType<typeof volume>[]) =>
    volumeFor(claim('c'), volumes, false)?.metadata.name;
  assert.equal(name(sized('big', '10Gi'), sized('fits', '1Gi'), sized('small', '500Mi')), 'fits');
  assert.equal(name(sized('fits', '1Gi'), volume('own', { spec: { claimRef: reference } })), 'own');
  assert.equal(name(volume('others', { spec: { claimRef: { ...reference, name: 'x' } } })), undefined);
  assert.equal(name(volume('released', { status: { phase: 'Released' } })), undefined);
  assert.equal(name(volume('class', { spec: { storageClassName: 'fast' } })), undefined);
  assert.equal(name(volume('going', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })), undefined);
  assert.equal(volumeFor(claim('c'), [volume('v')], true), undefined);
  const choosy = claim('c', { spec: { selector: { matchLabels: { disk: 'ssd' } } } });
  assert.equal(volumeFor(choosy, [volume('v')], false), undefined);
  assert.ok(volumeFor(choosy, [volume('v', { metadata: { labels: { disk: 'ssd' } } })], false));
});

test('a volume that will not do says why', () => {
  assert.equal(mismatchOf(volume('v'), claim('c')), undefined);
  assert.equal(mismatchOf(sized('v', '1Mi'), claim('c')), 'requested PV is too small');
  assert.equal(mismatchOf(volume('v', { spec: { volumeMode: 'Block' } }), claim('c')), 'incompatible volumeMode');
  assert.equal(
    mismatchOf(volume('v', { spec: { accessModes: ['ReadOnlyMany'] } }), claim('c')),
    'incompatible accessMode',
  );
});

test('volume and claim know of each other, and who brought them together', () => {
  const bound = boundVolume(volume('v'), claim('c'));
  assert.equal(bound?.spec.claimRef?.uid, 'c');
  assert.deepEqual(bound?.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
  const reserved = boundVolume(volume('v', { spec: { claimRef: reference } }), claim('c'));
  assert.equal(reserved?.metadata.annotations, undefined);
  assert.equal(boundVolume(volume('v', { spec: { claimRef: { ...reference, uid: 'c' } } }), claim('c')), undefined);
  const named = boundClaim(claim('c'), volume('v'));
  assert.equal(named?.spec.volumeName, 'v');
  assert.deepEqual(named?.metadata.annotations, {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  });
  assert.equal(named && boundClaim(named, volume('v')), undefined);
  assert.deepEqual(boundStatus(claim('c'), volume('v')), {
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
  });
});

test('a claim is told once who shall make its volume', () => {
  const told = withProvisioner(claim('c'), 'somebody');
  assert.equal(told?.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'somebody');
  assert.equal(told && withProvisioner(told, 'somebody'), undefined);
});
