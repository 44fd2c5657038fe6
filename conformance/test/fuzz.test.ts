import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attack } from './attack.ts';

const seed = Number(process.env.KEELSON_SEED ?? 1);
const requests = 400;

test(`${requests} requests by chance, from the server's own description: each is answered, none by a failure, and memory stays`, async (t) => {
  const { heaps, statuses } = await attack({ seed, isDry: false, requests: requests / 2, rounds: 2 });
  // What was written is kept, with its history: a megabyte at most. A leak of 50 kB for each request would be more than this.
  const [halfway = 0, end = 0] = heaps;
  const grownMB = Math.round((end - halfway) / 1e6);
  assert.ok(grownMB < 10, `${grownMB} MB more after the second half of seed ${seed}`);
  t.diagnostic(`seed ${seed}: ${statuses}; ${grownMB} MB more in its second half`);
});
