import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBytes, goFloat, goJson, goNumber, goQuote } from './go-text.ts';

// Printed by Go 1.26.
test('floats are written as Go writes them', () => {
  const written: readonly (readonly [number, string])[] = [
    [0, '0'],
    [1.5, '1.5'],
    [100000, '100000'],
    [999999, '999999'],
    [1000000, '1e+06'],
    [1234567.5, '1.2345675e+06'],
    [1e21, '1e+21'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-4e9, '-4e+09'],
  ];
  for (const [value, text] of written) assert.equal(goFloat(value), text);
});

test('whole numbers are written in full', () => {
  assert.equal(goNumber(4e9), '4000000000');
  assert.equal(goNumber(9223372036854775807n), '9223372036854775807');
});

test('strings are quoted as Go quotes them', () => {
  assert.equal(
    goQuote('a "b" \\ é 😀 \n \u0001 \u200b \u{e0001}'),
    '"a \\"b\\" \\\\ é 😀 \\n \\x01 \\u200b \\U000e0001"',
  );
});

test('JSON has its keys in order and no characters of HTML', () => {
  assert.equal(
    goJson({ b: '<&>', a: [1, null, { d: 1n, c: true }] }),
    '{"a":[1,null,{"c":true,"d":1}],"b":"\\u003c\\u0026\\u003e"}',
  );
});

test('strings are ordered by their bytes', () => {
  const sorted = ['', 'A', 'a', 'ab', 'é', '\uffee', '😀'];
  assert.deepEqual([...sorted].reverse().sort(compareBytes), sorted);
});
