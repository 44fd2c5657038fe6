import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './fixtures.ts';
import { heldBytes, soak } from './soak.ts';

test('an hour of changes leaves no more in memory than twenty minutes of them', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const pass = async () => clock.advance(1000);
  await soak(talk, { rounds: 1200, pass });
  const before = heldBytes();
  await soak(talk, { rounds: 2400, pass });
  const grown = heldBytes() - before;
  assert.ok(grown < 2_000_000, `${Math.round(grown / 1000)} kB more are held`);
});
