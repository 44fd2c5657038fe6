/** `keelson cluster start`: the embedded cluster in the foreground, for kubectl and everyone else on this machine. */
import { resolve } from 'node:path';
import { type Cluster, createCluster } from '@keelson/cluster';
import type { StartFlags } from './cluster-command.ts';
import { claimKubeconfig, hasCode } from './cluster-kubeconfig.ts';
import { nodeOf, type PodFlags } from './cluster-pods.ts';
import { warnings } from './cluster-warnings.ts';
import { aborted, type Shell } from './shell.ts';
import { keepYoungGeneration } from './young-generation.ts';

/** A cluster that serves others on this machine. */
export interface ServedCluster {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly kubeconfig: string;
}

/** `keelson cluster start`. */
export async function startCluster(flags: StartFlags, shell: Shell, signal: AbortSignal): Promise<void> {
  await withCluster(flags, shell, signal, () => {
    keepYoungGeneration();
    return aborted(signal);
  });
}

/** Starts a cluster, says how to talk to it, and ends it when the work is done. */
export async function withCluster(
  { writeKubeconfig, port, ...flags }: StartFlags,
  shell: Shell,
  signal: AbortSignal,
  work: (served: ServedCluster) => Promise<void>,
): Promise<void> {
  const node = await nodeOf(flags);
  await using file = await claimKubeconfig(
    writeKubeconfig === undefined ? undefined : resolve(shell.cwd, writeKubeconfig),
  );
  await using cluster = createCluster({ logger: warnings, node });
  const { kubeconfig } = await listen(cluster, port);
  await file.write(kubeconfig);
  await Promise.race([cluster.ready, aborted(signal)]);
  if (signal.aborted) return;
  shell.out(
    `The cluster is ready: export KUBECONFIG=${quoted(file.path)}\n` +
      `Its pods are simulated: no container runs, and ${told(flags)}.\n`,
  );
  await work({ cluster, kubeconfig });
}

function told({ pods, images }: PodFlags): string {
  const which = images === undefined ? 'every image can be pulled' : `only ${images.join(', ')} can be pulled`;
  return pods === undefined ? which : `${which}, unless ${pods} says otherwise`;
}

async function listen(cluster: Cluster, port: number | undefined) {
  try {
    return await cluster.listen({ port });
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw error;
    throw new Error(`port ${port} is taken; name another with --port, or none to get a free one.`, { cause: error });
  }
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
