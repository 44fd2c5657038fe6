import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticksIn } from './processor-time.ts';

test('processor time is user and system time, whatever the program is called', () => {
  const stat = '42 (a) S b) S 1 42 42 0 -1 4194304 500 0 3 0 120 34 7 8 20 0 11 0 12345 0 0';
  assert.equal(ticksIn(stat), 154);
});
