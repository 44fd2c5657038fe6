import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMistake } from './mistakes.ts';

test('a missing await, an answer that is no outcome and a thrown value are mistakes of the author; others are failures', () => {
  const coded = (code: string) => isMistake(Object.assign(new Error('x'), { code }));
  assert.deepEqual(['ERR_NOT_AWAITED', 'ERR_OUTCOME', 'ERR_THROWN_VALUE'].map(coded), [true, true, true]);
  assert.deepEqual([coded('ERR_API'), isMistake(new Error('x'))], [false, false]);
});
