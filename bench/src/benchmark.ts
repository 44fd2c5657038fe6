/** A benchmark as a plain value: what is measured, in which units, and how one sample of each side is taken. */
import type { Clock } from '@keelson/core';

/** One number that a run yields, and one row of the table. */
export interface Measure {
  /** What the row says is measured, such as `import of the client`. */
  readonly name: string;
  /** Unit of the samples, such as `ms` or `MB`. Chosen so that smaller is better. */
  readonly unit: string;
  /** The largest acceptable ratio of ours to the peer; without a peer, the largest acceptable median of ours. */
  readonly goal?: number;
  /** Instead of a goal: the largest acceptable median of ours, whatever the peer has. */
  readonly atMost?: number;
}

export interface Benchmark {
  /** What one run yields, in the order of the numbers of a sample: a time and the memory it took, for example. */
  readonly measures: readonly Measure[];
  /** Samples kept of each side. @default 9 */
  readonly rounds?: number;
  /** Whether a first round is thrown away. @default true */
  readonly warmUp?: boolean;
  /** Takes one sample of our side. Whatever it starts, it has ended when it resolves. */
  ours(clock: Clock): Promise<Sample>;
  /** Takes one sample of what we compare ourselves with, doing the same work. */
  peer?(clock: Clock): Promise<Sample>;
  /** Takes one sample of what nobody can do without, such as `JSON.parse` of the bytes that come. */
  limit?(clock: Clock): Promise<Sample>;
}

/** A number for each measure. */
export type Sample = readonly number[];
