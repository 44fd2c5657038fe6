/** All benchmarks, by the name under which they are run. */
import type { Benchmark } from './benchmark.ts';
import { clusterStart } from './start/cluster-start.ts';
import { npmStart } from './start/npm-start.ts';

export type Registry = Readonly<Record<string, readonly Benchmark[]>>;

export const registry: Registry = {
  start: [npmStart, clusterStart],
  client: [],
  cluster: [],
  runtime: [],
};
