import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResourceVersions } from './list.ts';

test('resourceVersions are ordered as numbers of any length', () => {
  const ordered = ['1', '9', '10', '99', '100', '18446744073709551615', '18446744073709551616'];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.equal(Math.sign(compareResourceVersions(a, b)), Math.sign(i - j), `${a} ${b}`);
    }
  }
});
