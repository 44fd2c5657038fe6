/** Hostile servers for long: each behaviour for ten seconds. `KEELSON_SEED` gives another seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviours } from '../hostile/behaviours.ts';
import { seeded } from '../hostile/seeded.ts';
import { besiege } from '../hostile/siege.ts';

const forMs = 10_000;

for (const [name, behaviour] of Object.entries(behaviours)) {
  test(`ten seconds of a server that ${name}`, { timeout: 120_000 }, async (t) => {
    const { random, seed } = seeded(name);
    const before = process.memoryUsage().arrayBuffers;
    const { requests, errors, bufferBytes } = await besiege(behaviour, random, forMs);
    const grown = Math.round((bufferBytes - before) / 1e6);
    t.diagnostic(`seed ${seed}: ${requests} requests, ${errors} errors, ${grown} MB`);
    assert.ok(requests <= (name.startsWith('lists') ? 60_000 : 100), `${requests} requests`);
    assert.ok(errors <= 100, `${errors} errors`);
    assert.ok(grown < 400, `${grown} MB in buffers`);
  });
}
