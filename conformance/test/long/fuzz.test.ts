/** The fuzzer for long, a hundred thousand requests in all: by five seeds, from `KEELSON_SEED` on, and for its memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attack } from '../attack.ts';

const first = Number(process.env.KEELSON_SEED ?? 1);
const requests = 10_000;

for (let seed = first; seed < first + 5; seed++) {
  test(`${requests} requests by chance, by seed ${seed}: none is answered by a failure`, async (t) => {
    const { statuses } = await attack({ seed, isDry: false, requests, rounds: 1 });
    t.diagnostic(`seed ${seed}: ${statuses}`);
  });
}

test(`memory is the same after ${5 * requests} requests as after the first ${requests}`, async (t) => {
  const { heaps } = await attack({ seed: first, isDry: true, requests, rounds: 5 });
  t.diagnostic(`seed ${first}: ${heaps.map((bytes) => Math.round(bytes / 1e6)).join(', ')} MB`);
  const [early = 0, ...rest] = heaps;
  assert.ok((rest.at(-1) ?? 0) < early * 1.1 + 5e6, `${heaps.join(', ')} bytes`);
});
