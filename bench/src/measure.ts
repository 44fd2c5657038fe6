/**
 * Takes the samples of one benchmark and judges them.
 *
 * Promises: ours, the peer and the limit take turns, and every other round goes backwards (A B C C B A …), so that a
 * machine that slows down slows all; the first round only warms up and is thrown away, unless the benchmark wants none;
 * nothing of one sample overlaps with the next.
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
  /** The goal, where it is for ours alone. */
  readonly atMost?: number;
  /** Whether the goal is met; absent where there is no goal. */
  readonly ok?: boolean;
  /** What nobody can do without. */
  readonly limit?: Summary;
}

/** @param most fewer samples than the benchmark wants, where they take too long */
export async function measure(benchmark: Benchmark, clock: Clock, most = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const rounds = Math.min(benchmark.rounds ?? 9, most);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError(`rounds: expected 1 or more, received ${rounds}`);
  const samples = { ours: [] as Sample[], peer: [] as Sample[], limit: [] as Sample[] };
  const sides = ['ours', 'peer', 'limit'] as const;
  for (let round = benchmark.warmUp === false ? 1 : 0; round <= rounds; round += 1) {
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
      const sample = await benchmark[side]?.(clock);
      if (sample !== undefined && round > 0) samples[side].push(sample);
    }
  }
  const { ours, peer, limit } = samples;
  return benchmark.measures.map((each, at) => judge(each, column(ours, at), column(peer, at), column(limit, at)));
}

/** Whether one of its measures has this text in its name. */
export function isAbout({ measures }: Benchmark, text: string): boolean {
  return measures.some(({ name }) => name.includes(text));
}

/** A number that a sample lacks becomes NaN, which `summary` refuses. */
function column(samples: readonly Sample[], at: number): number[] {
  return samples.map((sample) => sample[at] ?? Number.NaN);
}

/** The row that the samples amount to. */
export function judge(
  { name, unit, goal, atMost }: Measure,
  oursSamples: readonly number[],
  peerSamples: readonly number[],
  limitSamples: readonly number[] = [],
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
    ...(atMost !== undefined && { atMost, ok: ours.median <= atMost }),
    ...(limitSamples.length > 0 && { limit: summary(limitSamples) }),
  };
}
