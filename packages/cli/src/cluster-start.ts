/** `keelson cluster start`: the embedded cluster in the foreground, for kubectl and everyone else on this machine. */
import { type Cluster, createCluster } from '@keelson/cluster';
import { claimKubeconfig, hasCode } from './cluster-kubeconfig.ts';
import { nodeOf, type PodFlags } from './cluster-pods.ts';
import { warnings } from './cluster-warnings.ts';

export interface StartOptions extends PodFlags {
  /** Where the kubeconfig goes; without it, into a folder of its own. */
  readonly kubeconfig?: string | undefined;
  readonly port?: number | undefined;
}

export async function startCluster({ kubeconfig, port, ...flags }: StartOptions, signal: AbortSignal): Promise<void> {
  const node = await nodeOf(flags);
  await using file = await claimKubeconfig(kubeconfig);
  await using cluster = createCluster({ logger: warnings, node });
  const listening = await listen(cluster, port);
  await file.write(listening.kubeconfig);
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([cluster.ready, stopped]);
  if (signal.aborted) return;
  process.stdout.write(
    `The cluster is ready: export KUBECONFIG=${quoted(file.path)}\n` +
      `Its pods are simulated: no container runs, and ${told(flags)}.\n`,
  );
  await stopped;
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
