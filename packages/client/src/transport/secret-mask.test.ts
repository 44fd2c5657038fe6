import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretMask } from './secret-mask.ts';

const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1.eyJzdWIiOiJzeXN0ZW06c2Vy+dmljZQ/==';
const password = 'p@ss<w>rd&"1';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const cases: readonly [what: string, secret: string, said: string, shown: string][] = [
  ['a token', token, `Authorization: Bearer ${token}.`, 'Authorization: Bearer [secret].'],
  ['the beginning of one', token, `Bearer ${token.slice(0, 20)}... (cut)`, 'Bearer [secret]... (cut)'],
  ['the end of one', token, `...${token.slice(-20)}`, '...[secret]'],
  ['one in capitals', token, token.toUpperCase(), '[secret]'],
  ['one in small letters', token, token.toLowerCase(), '[secret]'],
  ['one in several lines', token, `${token.slice(0, 30)}\n${token.slice(30)}`, '[secret]\n[secret]'],
  ['one in an address', token, `?t=${encodeURIComponent(token)}&x`, '?t=[secret]&x'],
  ['one in base64', token, `x ${base64(token)}`, 'x [secret]'],
  ['one in base64 behind others', token, `x ${base64(`user:${token}`)}`, 'x dXNlcjp[secret]0='],
  ['two', token, `${token} ${token}`, '[secret] [secret]'],
  ['a password', password, `me:${password}@host`, 'me:[secret]@host'],
  ['a password in HTML', password, '<p>p@ss&lt;w&gt;rd&amp;&quot;1</p>', '<p>[secret]</p>'],
  ['a password in JSON', password, JSON.stringify({ password }), '{"password":"[secret]"}'],
  ['a password in a form', password, new URLSearchParams({ password }).toString(), 'password=[secret]'],
  ['a short password anywhere', 'hunter2', 'xhunter2x HUNTER2', 'x[secret]x [secret]'],
  ['a very short one as a word', 'abc', 'abc, not cabcab', '[secret], not cabcab'],
  ['nothing else', token, 'namespaces "eyJhbGciOi" not found', 'namespaces "eyJhbGciOi" not found'],
  ['nothing where there is no secret', '', 'anything', 'anything'],
];
for (const [what, secret, said, shown] of cases) {
  test(`masks ${what}`, () => {
    assert.equal(new SecretMask([secret]).mask(said), shown);
    const learned = new SecretMask([]);
    assert.equal(learned.mask(said), said);
    learned.learn('token', secret);
    assert.equal(learned.mask(said), shown);
  });
}

test('a text in which letters become two keeps its characters', () => {
  assert.equal(new SecretMask([token]).mask(`İİİİ ${token} İ`), 'İİİİ [secret] İ');
});

test('of secrets that change, the last eight are known, and those that stay for ever', () => {
  const secrets = new SecretMask(['fixed-password']);
  for (let i = 0; i < 9; i++) secrets.learn('token', `number-${i}-of-them`);
  assert.equal(secrets.mask('fixed-password'), '[secret]');
  assert.equal(secrets.mask('number-1-of-them'), '[secret]');
  assert.match(secrets.mask('number-0-of-them'), /^number-0/);
});

test('a secret that changes all the time drives out none of another kind', () => {
  const secrets = new SecretMask([]);
  secrets.learn('authorization', 'the-token-that-stays');
  for (let i = 0; i < 20; i++) secrets.learn('x-idempotency-key', `number-${i}-of-them`);
  assert.equal(secrets.mask('the-token-that-stays'), '[secret]');
});
