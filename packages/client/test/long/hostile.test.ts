/** Hostile servers for long: each behaviour for ten seconds. `KEELSON_SEED` gives another seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviours } from '../hostile/behaviours.ts';
import { seeded } from '../hostile/seeded.ts';
import { besiege } from '../hostile/siege.ts';

const forMs = 10_000;
/** The informer's time runs fifty times as fast: so much of it passes. */
const informerSeconds = (forMs / 1000) * 50;
/** A little more passes before and after. */
const slack = 1.1;

for (const [name, behaviour] of Object.entries(behaviours)) {
  test(`ten seconds of a server that ${name}`, { timeout: 120_000 }, async (t) => {
    const { random, seed } = seeded(name);
    const before = process.memoryUsage().arrayBuffers;
    const { requests, errors, bufferBytes } = await besiege(behaviour, random, forMs);
    const grown = Math.round((bufferBytes - before) / 1e6);
    t.diagnostic(`seed ${seed}: ${requests} requests, ${errors} errors, ${grown} MB`);
    // Whatever it does, it is asked once a second in the long run, and heard of less often. Pages have a bound of their own.
    assert.ok(requests <= (name.startsWith('lists') ? 60_000 : informerSeconds * slack), `${requests} requests`);
    assert.ok(errors <= (informerSeconds * slack) / 2, `${errors} errors`);
    // Two pages of 256 MiB, one of the client and one of the informer, are the most that is held.
    assert.ok(grown < 600, `${grown} MB in buffers`);
  });
}
