import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@keelson/testing';
import { SharedTime } from './shared-time.ts';

test('time that passes while it is read is nothing to remark on', () => {
  let ms = 0;
  const clock = Object.assign(new VirtualClock(), { now: () => ms++ });
  assert.deepEqual(new SharedTime({} as never, 'ns', clock).remarks, []);
});
