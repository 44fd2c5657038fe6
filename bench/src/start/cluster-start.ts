/**
 * A cluster from nothing: `keelson cluster start` beside a real control plane (etcd, kube-apiserver,
 * kube-controller-manager, kube-scheduler), whose programs are built already and whose etcd need not wait for a disk.
 *
 * Both make their certificates within the time. Each says itself when it is ready: ours when its controllers work and
 * its node is ready, the real one when the namespace `default` can run pods, which no node of it has to do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@keelson/core';
import { freePort, startKubernetes } from '@keelson/tools-kubernetes';
import type { Benchmark, Sample } from '../benchmark.ts';
import { firstAnswerAt } from './first-answer.ts';
import { startProgram } from './program.ts';
import { processesNaming, residentMb } from './resident.ts';

const keelson = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export const clusterStart: Benchmark = {
  measures: [
    { name: 'cluster start, until /readyz is ok', unit: 'ms' },
    { name: 'cluster start, until it is ready', unit: 'ms' },
    { name: 'cluster, memory when ready', unit: 'MB' },
  ],
  ours: embedded,
  peer: real,
};

async function embedded(clock: Clock): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
  const stop = new AbortController();
  const port = await freePort('127.0.0.1');
  const command = [keelson, 'cluster', 'start', '--port', String(port), '--write-kubeconfig', join(folder, 'config')];
  try {
    const begun = clock.monotonic();
    await using program = startProgram(command, clock);
    const ready = program.line(/^The cluster is ready/).then(() => clock.monotonic());
    const [answeredAt, readyAt] = await Promise.all([firstAnswerAt(() => port, clock, stop.signal), ready]);
    return [answeredAt - begun, readyAt - begun, residentMb([program.pid])];
  } finally {
    stop.abort();
    rmSync(folder, { recursive: true });
  }
}

async function real(clock: Clock): Promise<Sample> {
  const stop = new AbortController();
  const answered = firstAnswerAt(ownApiServerPort, clock, stop.signal);
  answered.catch(() => {}); // awaited below, unless starting fails, which is then the error to tell
  try {
    await using kube = await startKubernetes({ clock });
    const begun = clock.monotonic() - kube.startupMs; // before that, it looked for its programs
    const pids = processesNaming(kube.directory).map(({ pid }) => pid);
    return [(await answered) - begun, kube.startupMs, residentMb(pids)];
  } finally {
    stop.abort();
  }
}

/** The port of the API server that this process is starting, as soon as there is one. */
export function ownApiServerPort(): number | undefined {
  const apiServer = processesNaming(`/test-${process.pid}-`).find(({ command: [program] }) =>
    program?.endsWith('/kube-apiserver'),
  );
  const [, port] = /--secure-port=(\d+)/.exec(apiServer?.command.join(' ') ?? '') ?? [];
  return port === undefined ? undefined : Number(port);
}
