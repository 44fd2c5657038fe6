import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from './certificates.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const clock = { now: () => noon, monotonic: () => 0, setTimer: () => assert.fail('nothing here waits') };

test('a client certificate carries the user and the groups, and its authority vouches for it', async () => {
  const authority = await createAuthority('kubernetes', clock, systemRandom);
  const { certificate, key } = await authority.issueClient('system:node:keelson', ['system:nodes', 'extra']);
  const parsed = new X509Certificate(certificate);
  assert.equal(parsed.subject, 'O=system:nodes\nO=extra\nCN=system:node:keelson');
  assert.ok(parsed.verify(new X509Certificate(authority.certificate).publicKey));
  assert.ok(parsed.checkPrivateKey(createPrivateKey(key)));
  assert.deepEqual(parsed.keyUsage, ['1.3.6.1.5.5.7.3.2']); // client authentication only
});

test('a server certificate names addresses as addresses and names as names', async () => {
  const authority = await createAuthority('kubernetes', clock, systemRandom);
  const { certificate } = await authority.issueServer('kube-apiserver', ['10.96.0.1', 'kubernetes.default']);
  const parsed = new X509Certificate(certificate);
  assert.equal(parsed.subjectAltName, 'IP Address:10.96.0.1, DNS:kubernetes.default');
  assert.equal(new X509Certificate(authority.certificate).ca, true);
  assert.equal(parsed.ca, false);
});

test('validity begins before the present of the clock that was passed in', async () => {
  const { certificate } = await createAuthority('kubernetes', clock, systemRandom);
  assert.equal(new X509Certificate(certificate).validFromDate.getTime(), noon - 3_600_000);
});
