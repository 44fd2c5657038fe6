import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { keepYoungGeneration } from '../src/young-generation.ts';

const bytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

/** Makes a million objects, of which so many live for a while. */
function make(living: number): void {
  let survivors: object[] = [];
  for (let made = 0; made < 1_000_000; made += 1) {
    survivors.push({ made, list: [made] });
    if (survivors.length > living) survivors = survivors.slice(living * 0.8);
  }
}

test('the young generation grows no more, whatever survives in it', () => {
  make(10); // V8 takes all of the space that it begins with when it first collects
  keepYoungGeneration();
  const before = bytes();
  make(50_000);
  // V8 doubles it when it grows, and takes some pages more or less while it collects.
  assert.ok(before > 0 && bytes() < 2 * before, `${before} bytes became ${bytes()}`);
});
