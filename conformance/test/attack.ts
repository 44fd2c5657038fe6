/**
 * Sends requests by chance to an embedded server of its own, and judges the answers: each comes, and none is a failure
 * of the server's.
 */
import assert from 'node:assert/strict';
import { createCluster } from '@keelson/cluster';
import { Api, Fuzzer, isRefusalWith500, operationsOf, parseKubeconfig } from '@keelson/conformance';
import { heapInUse } from './heap.ts';

export interface Attack {
  readonly seed: number;
  /** Whether nothing that is sent has an effect. */
  readonly isDry: boolean;
  /** Requests in a round. */
  readonly requests: number;
  readonly rounds: number;
}

export interface Outcome {
  /** Bytes that are in use after each round. */
  readonly heaps: readonly number[];
  /** How many answers had which status: `200: 311, 404: 520`. */
  readonly statuses: string;
}

export async function attack({ seed, isDry, requests, rounds }: Attack): Promise<Outcome> {
  const failures: unknown[] = [];
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    // Without controllers: one of them would make two billion pods, if it was told to.
    await using cluster = createCluster({
      only: [],
      logger: { debug() {}, info() {}, warn: (_message, fields) => void failures.push(fields?.error) },
    });
    await using door = await cluster.listen();
    await using api = new Api(parseKubeconfig(door.kubeconfig));
    const operations = await operationsOf(api);
    assert.ok(operations.length > 500, `${operations.length} operations`);
    const fuzzer = new Fuzzer(operations, { seed, namespace: 'default', isDry });
    const heaps: number[] = [];
    const statuses = new Map<number, number>();
    for (let index = 0; index < requests * rounds; index++) {
      const { method, path, options } = fuzzer.next();
      const { status, text } = await api.send(method, path, options);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const sent = () => `request ${index} of seed ${seed}: ${method} ${path} ${JSON.stringify(options)}`;
      const [failure] = [...failures, ...unhandled];
      if (failure !== undefined) assert.fail(`${sent()}\n${failure instanceof Error ? failure.stack : failure}`);
      // What this server does not do it says with 501.
      if (status >= 500 && status !== 501 && !isRefusalWith500(text)) assert.fail(`${sent()}\n${status} ${text}`);
      if ((index + 1) % requests === 0) heaps.push(heapInUse());
    }
    assert.equal((await api.send('GET', '/readyz')).text, 'ok');
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return { heaps, statuses: counts.join(', ') };
  } finally {
    process.off('unhandledRejection', note);
  }
}
