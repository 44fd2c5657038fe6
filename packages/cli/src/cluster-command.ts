/** `keelson cluster`: a cluster of our own in the foreground, or its controllers on someone else's API server. */
import { Command, InvalidArgumentError } from 'commander';

export function clusterCommand(): Command {
  const cluster = new Command('cluster').description('run a Kubernetes of our own, for development and tests');
  cluster
    .command('start')
    .description(
      'run an API server, controllers and a simulated node in this process, until Ctrl-C; its objects and its ' +
        'certificates live in memory, so each start is a new cluster',
    )
    .option('--write-kubeconfig <file>', 'where to put the kubeconfig; it is removed when the cluster stops')
    .option('--port <port>', "the API server's port, instead of a free one", portOf)
    .allowExcessArguments(false)
    .action(async (flags: { readonly writeKubeconfig?: string; readonly port?: number }) => {
      // Loaded late: `keelson --help` needs none of it.
      const { startCluster } = await import('./cluster-start.ts');
      await spoken('start', (signal) => startCluster({ kubeconfig: flags.writeKubeconfig, port: flags.port }, signal));
    });
  cluster
    .command('controllers')
    .description('run the controllers and the simulated node on another API server, until Ctrl-C')
    .requiredOption('--kubeconfig <file>', 'which API server, and as whom; one without controllers of its own')
    .option('--only <name...>', 'only these controllers; a name that does not exist lists those that do')
    .allowExcessArguments(false)
    .action(async (flags: { readonly kubeconfig: string; readonly only?: readonly string[] }) => {
      const { runControllers } = await import('./cluster-controllers.ts');
      await spoken('controllers', (signal) => runControllers(flags, signal));
    });
  return cluster;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}

/** Runs until it ends or is asked to; what goes wrong is one sentence on standard error. */
async function spoken(name: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  try {
    await run(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    process.stderr.write(`keelson cluster ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
