/**
 * Takes the samples of one benchmark and judges them.
 *
 * Promises: ours and the peer take turns (A B A B …), so that a machine that slows down slows both; the first round
 * only warms up and is thrown away; nothing of one sample overlaps with the next.
 */
import type { Clock } from '@keelson/core';
import type { Benchmark, Measure, Sample } from './benchmark.ts';
import { type Summary, summary } from './statistics.ts';

/** One line of the result: the table and the JSON file are both made from these. */
export interface Row {
  readonly measure: string;
  readonly unit: string;
  readonly ours: Summary;
  readonly peer?: Summary;
  /** Median of ours by median of the peer; below 1 we are better. */
  readonly ratio?: number;
  readonly goal?: number;
  /** Whether the goal is met; absent where there is no goal. */
  readonly ok?: boolean;
}

export interface MeasureOptions {
  readonly clock: Clock;
  /** Samples kept of each side. @default 9 */
  readonly rounds?: number;
}

export async function measure(benchmark: Benchmark, { clock, rounds = 9 }: MeasureOptions): Promise<Row[]> {
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError(`rounds: expected 1 or more, received ${rounds}`);
  const ours: Sample[] = [];
  const peer: Sample[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const sample = await benchmark.ours(clock);
    const peerSample = await benchmark.peer?.(clock);
    if (round === 0) continue;
    ours.push(sample);
    if (peerSample !== undefined) peer.push(peerSample);
  }
  return benchmark.measures.map((each, at) => judge(each, column(ours, at), column(peer, at)));
}

/** A number that a sample lacks becomes NaN, which `summary` refuses. */
function column(samples: readonly Sample[], at: number): number[] {
  return samples.map((sample) => sample[at] ?? Number.NaN);
}

/** The row that the samples amount to. */
export function judge(
  { name, unit, goal }: Measure,
  oursSamples: readonly number[],
  peerSamples: readonly number[],
): Row {
  const ours = summary(oursSamples);
  const peer = peerSamples.length > 0 ? summary(peerSamples) : undefined;
  const ratio = peer && ours.median / peer.median;
  return {
    measure: name,
    unit,
    ours,
    ...(peer && { peer }),
    ...(ratio !== undefined && { ratio }),
    ...(goal !== undefined && { goal, ok: (ratio ?? ours.median) <= goal }),
  };
}
