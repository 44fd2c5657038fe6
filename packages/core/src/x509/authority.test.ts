import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '../system.ts';
import { createAuthority, openAuthority } from './authority.ts';

const authority = createAuthority(systemRandom);
const ca = new X509Certificate(authority.certificate);

test('the authority may issue certificates, and vouches for itself', () => {
  assert.equal(ca.ca, true);
  assert.ok(ca.verify(ca.publicKey));
});

test('a server certificate names addresses as addresses and names as names', () => {
  const { certificate, key } = authority.issueServer('web', ['127.0.0.1', 'localhost']);
  const server = new X509Certificate(certificate);
  assert.equal(server.subjectAltName, 'IP Address:127.0.0.1, DNS:localhost');
  assert.equal(server.subject, 'CN=web');
  assert.equal(server.ca, false);
  assert.ok(server.verify(ca.publicKey) && server.checkIssued(ca) && server.checkPrivateKey(createPrivateKey(key)));
  assert.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('an IPv6 address is an address, in whatever form it comes', () => {
  for (const [host, shown] of [
    ['::1', '0:0:0:0:0:0:0:1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['2001:DB8::00a:0', '2001:DB8:0:0:0:0:A:0'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:10.0.0.1', '0:0:0:0:0:FFFF:A00:1'],
    ['fe80::1%eth0', 'FE80:0:0:0:0:0:0:1'],
  ] as const) {
    const server = new X509Certificate(authority.issueServer('web', [host]).certificate);
    assert.equal(server.subjectAltName, `IP Address:${shown}`);
    assert.ok(server.checkIP(host.replace(/%.*/, '')), host);
  }
});

test('a client certificate carries the user and the groups', () => {
  const { certificate } = authority.issueClient('somebody', ['one', 'two']);
  const client = new X509Certificate(certificate);
  assert.equal(client.subject, 'O=one\nO=two\nCN=somebody');
  assert.deepEqual(client.keyUsage, ['1.3.6.1.5.5.7.3.2']);
});

test('no two certificates have the same number', () => {
  const numbers = [1, 2, 3].map(
    () => new X509Certificate(authority.issueServer('web', ['a']).certificate).serialNumber,
  );
  assert.equal(new Set(numbers).size, numbers.length);
});

test('lifetimes are kept to the second, also beyond the year 2049, where the form of dates changes', () => {
  const lifetime = { startsAt: Date.UTC(2049, 11, 31, 23, 59, 59), endsAt: Date.UTC(2050, 0, 1) };
  const short = createAuthority(systemRandom, { name: 'short', lifetime });
  const server = new X509Certificate(short.issueServer('web', ['a'], lifetime).certificate);
  for (const each of [new X509Certificate(short.certificate), server]) {
    assert.equal(each.validFrom, 'Dec 31 23:59:59 2049 GMT');
    assert.equal(each.validTo, 'Jan  1 00:00:00 2050 GMT');
  }
});

test('an authority that was kept goes on where it was, and not with the key of another', () => {
  const { certificate, key } = createAuthority(systemRandom, { name: 'web ca' });
  const kept = new X509Certificate(certificate);
  const server = new X509Certificate(
    openAuthority({ certificate, key }, systemRandom).issueServer('web', ['a']).certificate,
  );
  assert.ok(server.checkIssued(kept) && server.verify(kept.publicKey));
  assert.throws(() => openAuthority({ certificate, key: authority.key }, systemRandom), {
    name: 'RangeError',
    message: 'the key is not that of the authority "web ca"',
  });
  const issued = authority.issueServer('web', ['a']);
  assert.throws(() => openAuthority(issued, systemRandom), { message: '"CN=web" is no authority of ours' });
});
