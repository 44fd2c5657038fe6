import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { bundleText, certificatesIn, dataOf, type SecretData, storedCertificates } from './stored-certificates.ts';

const now = Date.UTC(2026, 0, 1);
const day = 24 * 3_600_000;
const lasting = (from: number, to: number) => ({ startsAt: now + from * day, endsAt: now + to * day });

function made(name: string, authorityEnds = 30, serving = lasting(-1, 10)) {
  const authority = createAuthority(systemRandom, { name, lifetime: lasting(-1, authorityEnds) });
  const [certificate = ''] = certificatesIn(authority.certificate);
  const { issuer, ...issued } = { ...authority.issueServer('web', ['web'], serving), issuer: certificate };
  return { bundle: [certificate], authority: { certificate, key: authority.key }, serving: { ...issued, issuer } };
}

const one = made('one');
const other = made('other');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const damaged = (parts: Readonly<Record<string, string>>): SecretData => ({
  ...dataOf(one),
  ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, base64(text)])),
});

test('what was written is read again, whole', () => {
  const { bundle, authority, serving, problems } = storedCertificates(dataOf(one), now);
  assert.deepEqual(bundle, one.bundle);
  assert.deepEqual(authority, one.authority);
  assert.deepEqual(serving, { ...one.serving, certificate: certificatesIn(one.serving.certificate)[0] });
  assert.deepEqual(problems, []);
});

const expired = made('expired', 30, lasting(-2, -1));
const early = made('early', 30, lasting(1, 2));
const ended = made('ended', -0.5);

for (const [what, data, problems, left] of [
  ['nothing at all', {}, ['ca.crt holds no certificate', 'ca.key is missing', 'tls.crt is missing'], ''],
  [
    'garbage everywhere',
    damaged({ 'ca.crt': 'garbage', 'ca.key': 'garbage', 'tls.crt': 'garbage', 'tls.key': 'garbage' }),
    ['ca.crt holds no certificate', 'ca.key fits nothing in ca.crt', 'tls.crt holds no certificate'],
    '',
  ],
  ['half a pair', damaged({ 'tls.key': '' }), ['tls.key is missing'], 'authority'],
  ['the key of another', damaged({ 'tls.key': other.serving.key }), ['tls.key does not fit tls.crt'], 'authority'],
  ['no key of the authority', damaged({ 'ca.key': '' }), ['ca.key is missing'], 'serving'],
  [
    'the key of another authority',
    damaged({ 'ca.key': other.authority.key }),
    ['ca.key fits nothing in ca.crt'],
    'serving',
  ],
  [
    'a pair of another authority',
    damaged({ 'tls.crt': other.serving.certificate, 'tls.key': other.serving.key }),
    ['tls.crt is issued by no authority in ca.crt that is valid now'],
    'authority',
  ],
  ['a pair that has ended', dataOf(expired), ['tls.crt expired at 2025-12-31T00:00:00Z'], 'authority'],
  ['a pair of the future', dataOf(early), ['tls.crt is not valid before 2026-01-02T00:00:00Z'], 'authority'],
  [
    'an authority that has ended',
    dataOf(ended),
    [
      'ca.crt holds no authority that is valid now',
      'ca.key fits nothing in ca.crt',
      'tls.crt is issued by no authority in ca.crt that is valid now',
    ],
    '',
  ],
  [
    'a serving certificate in place of an authority',
    damaged({ 'ca.crt': one.serving.certificate }),
    [
      'ca.crt holds no authority that is valid now',
      'ca.key fits nothing in ca.crt',
      'tls.crt is issued by no authority in ca.crt that is valid now',
    ],
    '',
  ],
] as const) {
  test(`of ${what} the sound part is of use, and the rest is named`, () => {
    const stored = storedCertificates(data, now);
    assert.deepEqual(stored.problems, problems);
    const sound = (['authority', 'serving'] as const).filter((part) => stored[part] !== undefined);
    assert.equal(sound.join(), left);
  });
}

test('several authorities are trusted, in whatever form they were written; text between them and doubles are not', () => {
  const text = `# mine\n${bundleText(one.bundle).replaceAll('\n', '\r\n')}\nand\n${bundleText([...other.bundle, ...one.bundle])}`;
  const data = { ...dataOf(other), 'ca.crt': base64(text) };
  const { bundle, authority, problems } = storedCertificates(data, now);
  assert.deepEqual(bundle, [...one.bundle, ...other.bundle]);
  assert.deepEqual(authority, other.authority, 'the one whose key is there issues, wherever it stands');
  assert.deepEqual(problems, []);
});
