/** The fuzzer for long: by twenty seeds, beginning with `KEELSON_SEED`, and what it leaves in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { Api, Fuzzer, operationsOf, parseKubeconfig } from '@keelson/conformance';
import { heapInUse } from '../heap.ts';

const first = Number(process.env.KEELSON_SEED ?? 1);
const seeds = 20;
const requests = 10_000;

for (let seed = first; seed < first + seeds; seed++) {
  test(`${requests} requests by chance, by seed ${seed}: none is answered by a failure`, async () => {
    await attack(seed, false, requests, 1);
  });
}

test('memory is the same after a hundred thousand requests as after the first twenty thousand', async (t) => {
  const heaps = await attack(first, true, 20_000, 5);
  t.diagnostic(`seed ${first}: ${heaps.map((bytes) => Math.round(bytes / 1e6)).join(', ')} MB`);
  const [early = 0, ...rest] = heaps;
  assert.ok((rest.at(-1) ?? 0) < early * 1.1 + 5e6, `${heaps.join(', ')} bytes`);
});

/** Sends rounds of requests and gives the bytes that are in use after each. */
async function attack(seed: number, isDry: boolean, count: number, rounds: number): Promise<readonly number[]> {
  const failures: unknown[] = [];
  await using cluster = createCluster({
    only: [],
    logger: { debug() {}, info() {}, warn: (_message, fields) => void failures.push(fields?.error) },
  });
  await using door = await cluster.listen();
  await using api = new Api(parseKubeconfig(door.kubeconfig));
  const fuzzer = new Fuzzer(await operationsOf(api), { seed, namespace: 'default', isDry });
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < count; index++) {
      const { method, path, options } = fuzzer.next();
      const { text } = await api.send(method, path, options);
      const sent = `request ${round * count + index} of seed ${seed}: ${method} ${path} ${JSON.stringify(options)}`;
      assert.deepEqual(failures, [], sent);
      assert.doesNotMatch(text, /"reason":"InternalError"/, sent);
    }
    heaps.push(heapInUse());
  }
  return heaps;
}
