import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSchedules } from '../election-schedules.ts';

test('in 20,000 random schedules no replica begins a write after its term could have ended', async (t) => {
  const { terms, writes } = await runSchedules(20_000);
  t.diagnostic(`${terms} terms, ${writes} writes`);
  assert.ok(terms > 20_000 && writes > 1_000_000);
});
