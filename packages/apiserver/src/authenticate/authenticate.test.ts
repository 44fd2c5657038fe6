import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearerToken } from './authenticate.ts';

const cases: readonly (readonly [string | undefined, string | undefined, number])[] = [
  [undefined, undefined, 0],
  ['', undefined, 0],
  ['Bearer abc', 'abc', 0],
  ['bearer abc', 'abc', 0],
  ['  Bearer abc  ', 'abc', 0],
  ['Bearer abc def', 'abc', 0],
  ['Bearer', undefined, 0],
  ['Bearer ', undefined, 0],
  ['Bearer  abc', undefined, 1],
  ['Basic abc', undefined, 0],
  ['abc', undefined, 0],
];

for (const [header, token, remarks] of cases) {
  test(`the token in ${JSON.stringify(header)} is ${token ?? 'none'}, with ${remarks} remarks`, () => {
    const warnings: string[] = [];
    assert.equal(bearerToken(header, warnings), token);
    assert.equal(warnings.length, remarks);
  });
}
