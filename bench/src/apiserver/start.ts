/**
 * From the start of a process to the first `/readyz` that is ok: our API server alone and `keelson cluster start`, both
 * built, beside etcd and kube-apiserver without controllers. Each makes its certificates within the time.
 */
import { join } from 'node:path';
import { freePort, startKubernetes } from '@keelson/tools-kubernetes';
import { dist } from '../../../tools/repo/src/build.ts';
import type { Benchmark } from '../benchmark.ts';
import type { Stage } from '../stage/stage.ts';
import { ownApiServerPort } from '../start/cluster-start.ts';
import { firstAnswerAt } from '../start/first-answer.ts';
import { processorMs } from '../start/processor-time.ts';
import { startProgram } from '../start/program.ts';
import { processesNaming } from '../start/resident.ts';

const keelson = join(dist, 'node_modules/@keelson/cli/main.js');

interface Started {
  readonly answeredMs: number;
  readonly cpuMs: number;
}

/** @param folder where kubeconfigs can be written */
export function firstAnswers(stage: Stage, folder: string): Benchmark {
  const { clock } = stage;

  async function answered(start: (port: string) => AsyncDisposable & { readonly pid: number }): Promise<Started> {
    const port = await freePort('127.0.0.1');
    const begun = clock.monotonic();
    await using program = start(String(port));
    const at = await firstAnswerAt(() => port, clock, new AbortController().signal);
    return { answeredMs: at - begun, cpuMs: processorMs([program.pid]) };
  }

  async function real(): Promise<Started> {
    const stop = new AbortController();
    const first = firstAnswerAt(ownApiServerPort, clock, stop.signal);
    first.catch(() => {}); // awaited below, unless starting fails, which is then the error to tell
    try {
      await using kube = await startKubernetes({ clock, controllers: false });
      const pids = processesNaming(kube.directory).map(({ pid }) => pid);
      return { answeredMs: (await first) - (clock.monotonic() - kube.startupMs), cpuMs: processorMs(pids) };
    } finally {
      stop.abort();
    }
  }

  return {
    rounds: 5,
    measures: [
      { name: 'API server alone, until /readyz is ok: time', unit: 'ms', goal: 0.1 },
      { name: 'API server alone, until /readyz is ok: CPU', unit: 'ms' },
      { name: 'keelson cluster start, until /readyz is ok: time', unit: 'ms', goal: 0.1 },
      { name: 'keelson cluster start, until /readyz is ok: CPU', unit: 'ms' },
    ],
    async ours() {
      const alone = await answered((port) => stage.start('server', port, join(folder, 'alone')));
      const command = ['cluster', 'start', '--write-kubeconfig', join(folder, 'cluster')];
      const cluster = await answered((port) => startProgram([keelson, ...command, '--port', port], clock));
      return [alone.answeredMs, alone.cpuMs, cluster.answeredMs, cluster.cpuMs];
    },
    async peer() {
      const { answeredMs, cpuMs } = await real();
      return [answeredMs, cpuMs, answeredMs, cpuMs];
    },
  };
}
