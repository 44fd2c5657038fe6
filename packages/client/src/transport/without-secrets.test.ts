import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from './without-secrets.ts';

const cases: readonly [what: string, secrets: readonly string[], said: string, shown: string][] = [
  ['an argument', ['--token', 'hunter2'], 'bad hunter2!', 'bad [secret]!'],
  ['the value of an option', ['--password=hunter2hunter2'], 'password hunter2hunter2?', 'password [secret]?'],
  ['a value with the mark in it', ['--password=ab=cd:ef=='], 'it is "ab=cd:ef=="', 'it is "[secret]"'],
  ['what follows a colon', ['me:hunter2'], 'no hunter2', 'no [secret]'],
  ['a field of JSON', ['{"user":"u","password":"hunter2"}'], 'sent hunter2', 'sent [secret]'],
  ['a line of a key in JSON', ['{"key":"BEGIN\\nabcdefgh\\nEND"}'], 'read abcdefgh', 'read [secret]'],
  ['a line of a text', ['first line\nsecond-line\n'], 'at second-line', 'at [secret]'],
  ['a password in an address', ['https://me:hunter2@host/path'], 'user me, hunter2', 'user [secret], [secret]'],
  ['a secret as an address has it', ['p@ss/w%rd'], 'GET /?q=p%40ss%2Fw%25rd', 'GET /?q=[secret]'],
  ['capitals', ['hunter2'], 'HUNTER2 is wrong', '[secret] is wrong'],
  ['the longer of two', ['hunter', 'hunter2hunter2'], 'hunter2hunter2', '[secret]'],
  ['a short one as a word', ['-p', 'abc'], 'abc, not cabcab', '[secret], not cabcab'],
  ['the word of the mask', ['secret', 'hunter2'], 'secret hunter2', '[secret] [secret]'],
  ['signs that mean something in patterns', ['a.*(b)[c]$^|'], 'x a.*(b)[c]$^| axx(b)', 'x [secret] axx([secret])'],
  ['a token that it was not given', [], 'got eyJhbGciOiJSUzI1NiIsImtpZCI6.x', 'got [secret].x'],
  ['small letters', ['HunterTwo'], 'huntertwo is wrong', '[secret] is wrong'],
  ['a password that it calls so', [], 'bad password: correcthorse', 'bad password: [secret]'],
  ['a password in JSON', [], '{"password":"correct horse"}', '{"password":"[secret] horse"}'],
  ['a password that it says', [], 'your password is correcthorse!', 'your password is [secret]'],
  ['a password in an address', [], 'GET /?client_secret=abc&user=me', 'GET /?client_secret=[secret]'],
  ['a header', [], 'Authorization: Bearer abc', 'Authorization: Bearer [secret]'],
  ['a bearer', [], 'sent bearer abc', 'sent bearer [secret]'],
  ['a token in small letters', [], 'got a94a8fe5ccb19ba61c4c0873', 'got [secret]'],
  [
    'no talk of passwords',
    [],
    'no token was found; the password has expired, run "login" to renew the token',
    'no token was found; the password has expired, run "login" to renew the token',
  ],
  [
    'nothing else',
    ['', 'x-y-z'],
    'run "az login" at https://example.com/device',
    'run "az login" at https://example.com/device',
  ],
];
for (const [what, secrets, said, shown] of cases) {
  test(`masks ${what}`, () => assert.equal(withoutSecrets(said, secrets), shown));
}

test('shows nothing when there is too much to look for', () => {
  assert.equal(withoutSecrets('abc', ['x'.repeat(100_000)]), undefined);
});

test('takes no longer than the text is long', () => {
  for (const text of ['password', 'passw', 'key ', 'a', ' ', 'key:', 'bearer ', '=', 'a1']) {
    const before = process.threadCpuUsage();
    withoutSecrets(text.repeat(200_000 / text.length), ['hunter2', 'a'.repeat(1000)]);
    assert.ok(process.threadCpuUsage(before).user < 1_000_000, text);
  }
});
