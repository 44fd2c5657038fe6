/** 1,000 GETs over TLS, one after the other, each of another Deployment. */
import type { Benchmark } from '../benchmark.ts';
import { pick, type Stage } from '../stage/stage.ts';
import type { Recording } from './recording.ts';

const count = 1000;
const figures = ['wholeCpuMs', 'cpuMs', 'wallMs', 'connections'];

/** @param one the answer to one of them */
export function sequentialGets(stage: Stage, kubeconfig: string, namespace: string, one: Recording): Benchmark {
  const sample = async (side: 'ours' | 'peer') =>
    pick(await stage.run(side, 'gets', kubeconfig, namespace, String(count)), figures);
  const what = `1,000 GETs of ${(one.bytes / 1e3).toFixed(1)} kB`;
  return {
    rounds: 3, // the peer takes ten seconds for each
    measures: [
      { name: `${what}: CPU`, unit: 'ms', goal: 0.25 },
      { name: `${what}: CPU after the import`, unit: 'ms', goal: 0.25 },
      { name: `${what}: time after the import`, unit: 'ms' },
      { name: `${what}: connections opened`, unit: 'connections', atMost: 4 },
    ],
    ours: () => sample('ours'),
    peer: () => sample('peer'),
    limit: async () => [...pick(await stage.run('limit', 'parse', one.file, String(count)), figures.slice(0, 3)), 1],
  };
}
