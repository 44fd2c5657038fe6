/** All benchmarks, by the name under which they are run. Each suite is loaded when it is measured. */
import type { Clock } from '@keelson/core';
import type { Benchmark } from './benchmark.ts';

/** Benchmarks, or what yields them one by one, and keeps what they share until the last was measured. */
type Suite = readonly Benchmark[] | ((clock: Clock, options: SuiteOptions) => AsyncIterable<Benchmark>);

/** What whoever measures may choose. */
interface SuiteOptions {
  /** How many custom resources there are, where operators look after some. */
  readonly resources?: number | undefined;
  /** The commit that the engine is compared with, where that is the peer. */
  readonly before?: string | undefined;
}

export type Registry = Readonly<Record<string, Suite>>;

export const registry: Registry = {
  async *start() {
    yield (await import('./start/npm-start.ts')).npmStart;
    yield (await import('./start/cluster-start.ts')).clusterStart;
  },
  async *client(clock) {
    yield* (await import('./client/suite.ts')).clientBenchmarks(clock);
  },
  async *apiserver(clock) {
    yield* (await import('./apiserver/suite.ts')).apiserverBenchmarks(clock);
  },
  cluster: [],
  async *engine(clock, { resources }) {
    yield* (await import('./engine/suite.ts')).engineBenchmarks(clock, resources);
  },
  async *playback(clock, { resources = 300, before }) {
    if (before === undefined) throw new TypeError('playback needs the commit that it compares with');
    yield* (await import('./playback/suite.ts')).playbackBenchmarks(clock, { count: resources, before });
  },
};
