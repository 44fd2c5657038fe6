import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { keepYoungGeneration } from '../src/young-generation.ts';

const bytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

test('the young generation grows no more, whatever survives in it', () => {
  keepYoungGeneration();
  const before = bytes();
  let survivors: object[] = [];
  for (let made = 0; made < 1_000_000; made += 1) {
    survivors.push({ made, list: [made] });
    if (survivors.length > 50_000) survivors = survivors.slice(40_000);
  }
  assert.ok(before > 0 && bytes() <= before, `${before} bytes became ${bytes()}`);
});
