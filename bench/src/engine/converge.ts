/** From the start of an operator with all custom resources there to the moment in which all of them are Available. */
import type { Clock } from '@keelson/core';
import type { Benchmark } from '../benchmark.ts';
import { type Arena, allAvailable, createCaches, openArena } from './arena.ts';
import { requestsIn } from './audit.ts';
import { type Operator, startOperator } from './operators.ts';

export interface ConvergeOptions {
  readonly count: number;
  readonly workers: number;
}

const sampleMs = 250;

/** What it took, in the order of the measures. */
export async function converge(arena: Arena, operator: Operator, { count, workers }: ConvergeOptions) {
  const { client, clock } = arena;
  const namespace = await arena.newNamespace();
  await createCaches(client, namespace, count);
  const { user, kubeconfig } = await arena.newUser();
  using reached = allAvailable(arena, namespace, count);
  const begun = clock.monotonic();
  await using process = await startOperator(operator, { kubeconfig, namespace, workers }, clock);
  let peakAnonymousMb = 0;
  const look = () => {
    peakAnonymousMb = Math.max(peakAnonymousMb, process.consumption().anonymousMb);
    timer = clock.setTimer(sampleMs, look);
  };
  let timer = clock.setTimer(sampleMs, look);
  try {
    await process.until(reached, `${count} Caches that are Available`);
  } finally {
    timer[Symbol.dispose]();
  }
  const wallMs = clock.monotonic() - begun;
  const { cpuMs, peakMb } = process.consumption();
  const { reads, writes } = requestsIn(await arena.requestsOf(user));
  return [wallMs, cpuMs, peakMb, peakAnonymousMb, reads, writes];
}

/** Each sample has a control plane of its own: it meets nothing that another has left, and the node has room for it. */
export function convergence(
  sides: { readonly ours: Operator; readonly peer: Operator; readonly limit: Operator },
  options: ConvergeOptions,
): Benchmark {
  const { count, workers } = options;
  const what = `${count.toLocaleString('en')} resources, ${workers === 1 ? '1 worker' : `${workers} workers`}`;
  return {
    rounds: workers === 1 ? 5 : 3, // a run with 300 resources should end within half an hour
    warmUp: false,
    measures: [
      { name: `${what}: time until all are Available`, unit: 'ms', goal: 0.85 },
      { name: `${what}: CPU`, unit: 'ms', goal: 0.8 },
      { name: `${what}: peak memory`, unit: 'MB', goal: 1.8 },
      { name: `${what}: peak anonymous memory`, unit: 'MB' },
      { name: `${what}: reads`, unit: 'requests' },
      { name: `${what}: writes`, unit: 'requests', goal: 1 },
    ],
    ours: (clock) => convergeAlone(clock, sides.ours, options),
    peer: (clock) => convergeAlone(clock, sides.peer, options),
    limit: (clock) => convergeAlone(clock, sides.limit, options),
  };
}

async function convergeAlone(clock: Clock, operator: Operator, options: ConvergeOptions) {
  await using arena = await openArena(clock, true);
  return await converge(arena, operator, options);
}
