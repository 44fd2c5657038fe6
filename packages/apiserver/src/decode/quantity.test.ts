import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalQuantity } from './quantity.ts';

const cases: readonly (readonly [string, string | undefined])[] = [
  ['0', '0'],
  ['0.1', '100m'],
  ['100m', '100m'],
  ['1000m', '1'],
  ['1.5', '1500m'],
  ['1e3', '1e3'],
  ['1500k', '1500k'],
  ['1000k', '1M'],
  ['1024Mi', '1Gi'],
  ['1536Mi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['512Ki', '512Ki'],
  ['100Ki', '100Ki'],
  ['-3', '-3'],
  ['.5', '500m'],
  ['1.0', '1'],
  ['0.0000000001', '1n'],
  ['123456789', '123456789'],
  ['', undefined],
  ['abc', undefined],
  ['1x', undefined],
  ['1 Gi', undefined],
];

for (const [text, expected] of cases) {
  test(`the quantity ${JSON.stringify(text)} is ${expected === undefined ? 'none' : `shown as ${expected}`}`, () => {
    assert.equal(canonicalQuantity(text), expected);
  });
}
