import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCluster } from '@keelson/cluster';
import { Api, Fuzzer, operationsOf, parseKubeconfig } from '@keelson/conformance';

const seeds = 20;
const requests = 10_000;

test(`${seeds} times ${requests} requests by chance: none is answered by a failure`, async () => {
  for (let seed = 100; seed < 100 + seeds; seed++) await attack(seed, false, requests, 1);
});

test('memory is the same after a hundred thousand requests as after the first twenty thousand', async (t) => {
  const heaps = await attack(1, true, 20_000, 5);
  t.diagnostic(`${heaps.map((bytes) => Math.round(bytes / 1e6)).join(', ')} MB`);
  const [first = 0, ...rest] = heaps;
  assert.ok((rest.at(-1) ?? 0) < first * 1.1 + 5e6, `${heaps.join(', ')} bytes`);
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

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
