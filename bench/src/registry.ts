/** All benchmarks, by the name under which they are run. */
import type { Clock } from '@keelson/core';
import { apiserverBenchmarks } from './apiserver/suite.ts';
import type { Benchmark } from './benchmark.ts';
import { clientBenchmarks } from './client/suite.ts';
import { clusterStart } from './start/cluster-start.ts';
import { npmStart } from './start/npm-start.ts';

/** Benchmarks, or what yields them one by one, and keeps what they share until the last was measured. */
type Suite = readonly Benchmark[] | ((clock: Clock) => AsyncIterable<Benchmark>);

export type Registry = Readonly<Record<string, Suite>>;

export const registry: Registry = {
  start: [npmStart, clusterStart],
  client: clientBenchmarks,
  apiserver: apiserverBenchmarks,
  cluster: [],
  runtime: [],
};
