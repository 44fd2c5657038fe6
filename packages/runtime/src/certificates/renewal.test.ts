import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '@keelson/core/system';
import { type RenewalInput, renewal } from './renewal.ts';
import {
  type Certificates,
  dataOf,
  endOf,
  type StoredCertificates,
  storedCertificates,
} from './stored-certificates.ts';

const begun = Date.UTC(2026, 0, 1);
const day = 24 * 3_600_000;
const nothing: RenewalInput = {
  stored: undefined,
  held: undefined,
  served: undefined,
  trusted: [],
  hosts: ['web'],
  hasSettled: () => false,
  lifetimes: { authorityMs: 300 * day, servingMs: 90 * day },
  now: begun,
  random: systemRandom,
};
const first = renewal(nothing).certificates;
const at = (days: number) => begun + days * day;
const stored = (certificates: Certificates, days: number): StoredCertificates =>
  storedCertificates(dataOf(certificates), at(days));
/** What becomes of it after so many days. */
const later = (days: number, input: Partial<RenewalInput> = {}, before = first) =>
  renewal({ ...nothing, stored: stored(before, days), served: before.serving, now: at(days), ...input });

test('where there is nothing, an authority is made and issues at once', () => {
  const { certificates, changes } = renewal(nothing);
  const { bundle, authority, serving } = certificates;
  assert.deepEqual(changes, ['the Secret', 'a new authority', 'a new serving certificate']);
  assert.deepEqual(bundle, [authority.certificate]);
  assert.equal(serving.issuer, authority.certificate);
  const x509 = new X509Certificate(serving.certificate);
  assert.equal(x509.subjectAltName, 'DNS:web');
  assert.equal(endOf(x509), at(90));
  assert.ok(x509.validFromDate.getTime() < begun, 'clocks of others may be behind');
});

test('nothing changes for two thirds of the life of a certificate, then it is issued anew by the same authority', () => {
  assert.deepEqual(later(0).changes, []);
  assert.deepEqual(later(59.9).changes, []);
  const { certificates, changes } = later(60.1);
  assert.deepEqual(changes, ['a new serving certificate']);
  assert.deepEqual(certificates.bundle, first.bundle);
  assert.equal(certificates.serving.issuer, first.authority.certificate);
});

test('a new authority joins the old one, and issues only when it has settled', () => {
  // A certificate of day 180 is still good on day 201, when two thirds of the life of its authority are over.
  const before = later(180).certificates;
  const { certificates: joined, changes } = later(201, {}, before);
  assert.deepEqual(changes, ['a new authority']);
  assert.deepEqual(joined.bundle, [joined.authority.certificate, first.authority.certificate]);
  assert.deepEqual(joined.serving, before.serving);
  assert.deepEqual(later(202, {}, joined).changes, [], 'it waits');
  const settled = later(202, { hasSettled: (each) => each === joined.authority.certificate }, joined);
  assert.deepEqual(settled.changes, ['a new serving certificate']);
  assert.equal(settled.certificates.serving.issuer, joined.authority.certificate);
  assert.deepEqual(settled.certificates.bundle, joined.bundle, 'another replica may still serve with the old one');
  assert.deepEqual(later(262, {}, joined).changes, ['a new serving certificate'], 'late, it waits no longer');
});

test('an authority leaves when it has ended, and not before', () => {
  const joined = later(201, {}, later(180).certificates).certificates;
  const serving = later(202, { hasSettled: () => true }, joined).certificates;
  assert.equal(stored(serving, 299).bundle.length, 2);
  const { certificates, changes } = later(301, {}, serving);
  assert.deepEqual(certificates.bundle, [joined.authority.certificate]);
  assert.ok(changes.length > 0);
});

test('no certificate outlives its authority', () => {
  const { serving } = renewal({ ...nothing, lifetimes: { authorityMs: day, servingMs: 2 * day } }).certificates;
  assert.equal(endOf(new X509Certificate(serving.certificate)), endOf(new X509Certificate(serving.issuer)));
});

test('a name that is missing is added at once, and the names of others stay', () => {
  const { certificates, changes } = later(1, { hosts: ['127.0.0.1', 'new.svc'] });
  assert.deepEqual(changes, ['a new serving certificate']);
  const { subjectAltName } = new X509Certificate(certificates.serving.certificate);
  assert.equal(subjectAltName, 'IP Address:127.0.0.1, DNS:new.svc, DNS:web');
  assert.deepEqual(later(2, { hosts: ['web'] }, certificates).changes, []);
});

test('an IPv6 address is there in whatever form it is asked for', () => {
  const { certificates } = later(1, { hosts: ['::1', 'fe80::1%eth0', '::ffff:10.0.0.1'] });
  const { subjectAltName } = new X509Certificate(certificates.serving.certificate);
  const addresses = ['0:0:0:0:0:0:0:1', 'FE80:0:0:0:0:0:0:1', '0:0:0:0:0:FFFF:A00:1'];
  assert.equal(subjectAltName, [...addresses.map((each) => `IP Address:${each}`), 'DNS:web'].join(', '));
  for (const host of ['::1', '0:0::1', 'FE80::1', 'fe80::1%eth0', '::ffff:10.0.0.1', '::ffff:a00:1']) {
    assert.deepEqual(later(2, { hosts: [host] }, certificates).changes, [], host);
  }
  const both = later(2, { hosts: ['0::1', 'new'] }, certificates).certificates.serving;
  assert.equal(new X509Certificate(both.certificate).subjectAltName?.match(/Address:0:0:0:0:0:0:0:1/g)?.length, 1);
});

test('a Secret that is gone is written as it was; without a memory, what is trusted stays so', () => {
  const again = later(1, { stored: undefined, held: stored(first, 1) });
  assert.deepEqual(again.changes, ['the Secret']);
  assert.deepEqual(again.certificates, first);
  const trusted = [first.authority.certificate];
  const fresh = later(1, { stored: undefined, served: undefined, trusted }).certificates;
  assert.notEqual(fresh.authority.certificate, trusted[0]);
  assert.deepEqual(fresh.bundle, [fresh.authority.certificate, ...trusted]);
});

test('a Secret without its authority keeps what is served, and gets a new authority beside', () => {
  const data = { ...dataOf(first), 'ca.key': '' };
  const { certificates, changes } = later(1, { stored: storedCertificates(data, at(1)) });
  assert.deepEqual(changes, ['since ca.key is missing', 'a new authority']);
  assert.deepEqual(certificates.serving, first.serving);
  assert.deepEqual(certificates.bundle.slice(1), first.bundle);
});

test('in a Secret full of garbage, what is served is put back', () => {
  const { certificates } = later(1, { stored: storedCertificates({ 'tls.crt': 'x' }, at(1)) });
  assert.deepEqual(certificates.serving, first.serving);
  assert.deepEqual(certificates.bundle.slice(1), first.bundle);
});

test('when others have put another authority in its place, what is served here stays trusted', () => {
  const others = renewal(nothing).certificates;
  const { certificates, changes } = later(1, { stored: stored(others, 1) });
  assert.deepEqual(changes, ['what is served stays trusted']);
  assert.deepEqual(certificates.bundle, [...others.bundle, ...first.bundle]);
  assert.deepEqual(certificates.serving, others.serving);
});
