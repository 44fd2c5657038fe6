import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { keepYoungGeneration } from '../src/young-generation.ts';

/** What it takes, after a million objects were made of which many live for a while. */
function bytesAfterWork(): number {
  let survivors: object[] = [];
  for (let made = 0; made < 1_000_000; made += 1) {
    survivors.push({ made, list: [made] });
    if (survivors.length > 50_000) survivors = survivors.slice(40_000);
  }
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

test('the young generation does not become what V8 would let it become', () => {
  keepYoungGeneration();
  const kept = bytesAfterWork();
  setFlagsFromString('--semi-space-growth-factor=2'); // V8's own
  const grown = bytesAfterWork();
  // How large it is at the start cannot be asked: V8 takes its space only as it needs it.
  assert.ok(kept > 0 && kept < grown / 2, `${kept} bytes, and ${grown} if it may grow`);
});
