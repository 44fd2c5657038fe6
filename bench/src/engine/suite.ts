/** The benchmarks of the engine, side by side with a Go operator on controller-runtime. */
import { join } from 'node:path';
import type { Clock } from '@keelson/core';
import type { Benchmark } from '../benchmark.ts';
import { publishAll } from '../stage/published.ts';
import { openArena } from './arena.ts';
import { cachesAtRest, cachesAtStart, StillPlace } from './caches.ts';
import { converge, convergence } from './converge.ts';
import { barestOperator, goOperators, type Operator, ourOperator } from './operators.ts';
import { reaction } from './reaction.ts';

const reactions = 100;
const trial = 100;
const cached = 10_000;

/** @param count how many custom resources there are */
export async function* engineBenchmarks(clock: Clock, count = 300): AsyncGenerator<Benchmark, void, undefined> {
  console.error('building the packages and the Go operator');
  const go = await goOperators();
  using published = publishAll();
  const programs = join(published.subjects, 'engine');
  const ours = ourOperator(programs);
  const limit = barestOperator(programs);
  let peer: Operator;
  {
    await using arena = await openArena(clock, true);
    const warmUp = { count: trial, workers: 1 };
    await converge(arena, ours, warmUp);
    peer = await better(go, (operator) => converge(arena, operator, warmUp));
    yield reaction(arena, { ours, peer }, reactions);
  }
  for (const workers of [1, 16]) yield convergence({ ours, peer, limit }, { count, workers });
  await using still = new StillPlace(clock, cached);
  yield cachesAtStart(still, { ours, peer });
  yield cachesAtRest(still, { ours, peer });
}

/** The one that counts: which takes less CPU. */
async function better(
  operators: readonly Operator[],
  trialOf: (operator: Operator) => Promise<readonly number[]>,
): Promise<Operator> {
  const tried: { readonly operator: Operator; readonly cpuMs: number }[] = [];
  for (const operator of operators) {
    const [wallMs = 0, cpuMs = 0, , , , writes = 0] = await trialOf(operator);
    console.error(
      `${operator.name}, ${trial} resources: ${Math.round(wallMs)} ms, ${cpuMs} ms of CPU, ${writes} writes`,
    );
    tried.push({ operator, cpuMs });
  }
  const [first, ...others] = tried.toSorted((a, b) => a.cpuMs - b.cpuMs);
  if (first === undefined || others.length === 0) throw new RangeError('expected two operators to choose from');
  console.error(`${first.operator.name} counts`);
  return first.operator;
}
