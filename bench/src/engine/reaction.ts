/** How soon an operator acts on what is new, while ten resources a second are made: by the API server's timestamps. */
import { sleep } from '@keelson/core';
import type { Benchmark } from '../benchmark.ts';
import { quantile } from '../statistics.ts';
import { type Arena, allAvailable, createCache } from './arena.ts';
import { reactionsMs } from './audit.ts';
import { type Operator, startOperator } from './operators.ts';

const everyMs = 100;

async function react(arena: Arena, operator: Operator, count: number) {
  const { client, clock } = arena;
  const namespace = await arena.newNamespace();
  const { user, kubeconfig } = await arena.newUser();
  await using process = await startOperator(operator, { kubeconfig, namespace, workers: 1 }, clock);
  await process.startedMs();
  using reached = allAvailable(arena, namespace, count);
  const begun = clock.monotonic();
  const creates: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await sleep(clock, Math.max(0, begun + index * everyMs - clock.monotonic()));
    creates.push(createCache(client, namespace, index));
  }
  await Promise.all(creates);
  await process.until(reached, `${count} Caches that are Available`);
  const reactions = reactionsMs(await arena.createsIn(namespace), await arena.requestsOf(user));
  const sorted = reactions.toSorted((a, b) => a - b);
  return [quantile(sorted, 0.5), quantile(sorted, 0.99), process.consumption().cpuMs];
}

export function reaction(
  arena: Arena,
  sides: { readonly ours: Operator; readonly peer: Operator },
  count: number,
): Benchmark {
  const what = `${count.toLocaleString('en')} creates, 10 a second`;
  return {
    rounds: 5,
    warmUp: false,
    measures: [
      { name: `${what}: reaction, p50`, unit: 'ms' },
      { name: `${what}: reaction, p99`, unit: 'ms', goal: 1 },
      { name: `${what}: CPU`, unit: 'ms' },
    ],
    ours: () => react(arena, sides.ours, count),
    peer: () => react(arena, sides.peer, count),
  };
}
