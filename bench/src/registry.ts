/** All benchmarks, by the name under which they are run. */
import type { Benchmark } from './benchmark.ts';

export type Registry = Readonly<Record<string, readonly Benchmark[]>>;

export const registry: Registry = {
  start: [],
  client: [],
  cluster: [],
  runtime: [],
};
