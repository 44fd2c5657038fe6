/** The client and an informer before a hostile server: every behaviour for a moment. `KEELSON_SEED` gives another seed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviours } from './hostile/behaviours.ts';
import { seeded } from './hostile/seeded.ts';
import { besiege } from './hostile/siege.ts';

/** The informer's time runs fifty times as fast: this is a quarter of a minute to it. */
const forMs = 300;
const before = process.memoryUsage().arrayBuffers;

// Several at once, so that all of them take seconds; what buffers hold is that of all.
describe('a server that', { concurrency: 8 }, () => {
  for (const [name, behaviour] of Object.entries(behaviours)) {
    test(name, { timeout: 300_000 }, async (t) => {
      const { random, seed } = seeded(name);
      const { requests, errors, bufferBytes } = await besiege(behaviour, random, forMs);
      const grownMB = Math.round((bufferBytes - before) / 1e6);
      t.diagnostic(`seed ${seed}: ${requests} requests, ${errors} errors, ${grownMB} MB`);
      // A list in pages is the one thing that asks many times at once; it has a bound of its own.
      if (!name.startsWith('lists')) assert.ok(requests <= 100, `${requests} requests`);
      assert.ok(errors <= 100, `${errors} errors`);
      assert.ok(grownMB < 600, `${grownMB} MB in buffers`);
    });
  }
});
