/**
 * An informer of 10,000 Deployments, from its start until all of them are in its cache.
 *
 * Ours streams the list and drops managedFields, the peer asks for the list as one answer, compressed, and keeps
 * everything: each as it comes.
 */
import type { Benchmark } from '../benchmark.ts';
import { pick, type Stage } from '../stage/stage.ts';
import type { Recording } from './recording.ts';

const figures = ['wholeCpuMs', 'cpuMs', 'peakMb', 'wallMs'];

/** @param list the list as a stream of events */
export function listAndCache(stage: Stage, kubeconfig: string, list: Recording): Benchmark {
  const count = list.lines - 1; // the last is a bookmark
  const sample = async (side: 'ours' | 'peer') => {
    const told = await stage.run(side, 'list', kubeconfig);
    if (told.cached !== count) throw new Error(`${side} has cached ${told.cached} of ${count} Deployments`);
    return pick(told, figures);
  };
  const what = `list ${count.toLocaleString('en')} Deployments, ${Math.round(list.bytes / 1e6)} MB`;
  return {
    rounds: 5,
    measures: [
      { name: `${what}: CPU`, unit: 'ms', goal: 0.55 },
      { name: `${what}: CPU after the import`, unit: 'ms', goal: 0.55 },
      { name: `${what}: peak memory`, unit: 'MB', goal: 0.5 },
      { name: `${what}: time after the import`, unit: 'ms' },
    ],
    ours: () => sample('ours'),
    peer: () => sample('peer'),
    limit: async () => pick(await stage.run('limit', 'keep', list.file), figures),
  };
}
