import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionIn } from './server-version.ts';

test('a server is too old below 1.29, and what cannot be read is not', () => {
  const cases: readonly (readonly [unknown, string, boolean])[] = [
    [{ major: '1', minor: '36', gitVersion: 'v1.36.4' }, 'v1.36.4', false],
    [{ major: '1', minor: '29+', gitVersion: 'v1.29.0-eks-1' }, 'v1.29.0-eks-1', false],
    [{ major: '1', minor: '28', gitVersion: 'v1.28.9' }, 'v1.28.9', true],
    [{ major: '0', minor: '99' }, '0.99', true],
    [{ major: '2', minor: '0' }, '2.0', false],
    ['?', 'undefined.undefined', false],
  ];
  for (const [answer, text, isTooOld] of cases) assert.deepEqual(versionIn(answer), { text, isTooOld });
});
