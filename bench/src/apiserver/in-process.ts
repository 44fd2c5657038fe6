/** The same work in the process of the server, and the first cluster of a test process. There is no peer for either. */
import type { Benchmark } from '../benchmark.ts';
import { pick, type Stage } from '../stage/stage.ts';

export interface Amounts {
  readonly population: number;
  readonly count: number;
  readonly watchers: number;
}

export function inProcess(stage: Stage, { population, count, watchers }: Amounts): Benchmark {
  const [pods, creates] = [population, count].map((each) => each.toLocaleString('en'));
  const args = [population, count, watchers].map(String);
  return {
    rounds: 3,
    measures: [
      { name: `in process with ${pods} pods: heap and buffers for each`, unit: 'B' },
      { name: `in process: ${creates} pods created one after the other`, unit: 'ms' },
      { name: `in process: list of ${pods} pods`, unit: 'ms' },
      { name: `in process: ${watchers} watchers, ${creates} creates`, unit: 'ms' },
    ],
    ours: async () => pick(await stage.run('in-process', ...args), ['podBytes', 'createsMs', 'listMs', 'deliveredMs']),
  };
}

export function firstCluster(stage: Stage): Benchmark {
  return {
    measures: [
      { name: 'in process: import of @keelson/testing', unit: 'ms' },
      { name: 'in process: import and first cluster, until it is ready', unit: 'ms', atMost: 250 },
      { name: 'in process: import and first cluster, CPU', unit: 'ms' },
      { name: 'in process: the next cluster', unit: 'ms' },
    ],
    ours: async () => pick(await stage.run('first-cluster'), ['importMs', 'readyMs', 'cpuMs', 'secondMs']),
  };
}
