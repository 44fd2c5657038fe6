import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { Api, Fuzzer, operationsOf, parseKubeconfig } from '@keelson/conformance';
import { heapInUse } from './heap.ts';

const seed = Number(process.env.KEELSON_SEED ?? 1);
const requests = 1500;

test(`${requests} requests by chance, from the server's own description: each is answered, none by a failure, and memory stays`, async (t) => {
  const failures: unknown[] = [];
  // Without controllers: one of them would make two billion pods, if it was told to.
  await using cluster = createCluster({
    only: [],
    logger: { debug() {}, info() {}, warn: (_message, fields) => void failures.push(fields?.error) },
  });
  await using door = await cluster.listen();
  await using api = new Api(parseKubeconfig(door.kubeconfig));
  const operations = await operationsOf(api);
  assert.ok(operations.length > 500, `${operations.length} operations`);
  const fuzzer = new Fuzzer(operations, { seed, namespace: 'default', isDry: false });
  let halfway = 0;
  const statuses = new Map<number, number>();
  for (let index = 0; index < requests; index++) {
    const { method, path, options } = fuzzer.next();
    const { status, text } = await api.send(method, path, options);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const [failure] = failures;
    const sent = `request ${index} of seed ${seed}: ${method} ${path} ${JSON.stringify(options)}`;
    assert.equal(failure, undefined, `${sent}\n${failure instanceof Error ? failure.stack : failure}`);
    assert.doesNotMatch(text, /"reason":"InternalError"/, sent);
    if (index === requests / 2) halfway = heapInUse();
  }
  assert.equal((await api.send('GET', '/readyz')).text, 'ok');
  // What was written is kept, with its history: a megabyte. A leak of 30 kB for each request would be more than this.
  const grownMB = Math.round((heapInUse() - halfway) / 1e6);
  assert.ok(grownMB < 20, `${grownMB} MB more after the second half of seed ${seed}`);
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  t.diagnostic(`seed ${seed}: ${counts.join(', ')}; ${grownMB} MB more in its second half`);
});
