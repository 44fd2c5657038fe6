/** `keelson cluster`: a cluster of our own in the foreground, or its controllers on someone else's API server. */
import { Command, InvalidArgumentError } from 'commander';

const startHelp = `
It prints one line when the cluster is ready, with the KUBECONFIG to export.
kubectl and every other client work on it. Pods are simulated: they become ready,
and have no logs, and nothing can be run in them.

Example:
  $ keelson cluster start --write-kubeconfig kubeconfig
  $ KUBECONFIG=kubeconfig kubectl get nodes     (in another terminal)`;

const controllersHelp = `
The controllers are deployment, replicaset, garbage-collector, namespace and others;
a name that there is not lists all of them. The node is the controller named "node".

Example:
  $ keelson cluster controllers --kubeconfig kubeconfig --only deployment replicaset`;

/** The command with its subcommands; what they run is loaded when it is called. */
export function clusterCommand(): Command {
  const cluster = new Command('cluster').description('Run a Kubernetes of our own, for development and tests.');
  cluster
    .command('start')
    .description(
      'Run an API server, controllers and a simulated node in this process, until Ctrl-C. Objects and certificates ' +
        'live in memory: each start is a new cluster.',
    )
    .option(
      '--write-kubeconfig <file>',
      'where to put the kubeconfig, which is removed in the end; without it, a temporary folder',
    )
    .option('--port <port>', "the API server's port on 127.0.0.1; without it, a free one", portOf)
    .addHelpText('after', startHelp)
    .allowExcessArguments(false)
    .action(async (flags: { readonly writeKubeconfig?: string; readonly port?: number }) => {
      // Loaded late: `keelson --help` needs none of it.
      const { startCluster } = await import('./cluster-start.ts');
      await untilStopped('start', (signal) =>
        startCluster({ kubeconfig: flags.writeKubeconfig, port: flags.port }, signal),
      );
    });
  cluster
    .command('controllers')
    .description('Run the controllers and the simulated node on another API server, until Ctrl-C.')
    .requiredOption('--kubeconfig <file>', 'the API server, which must have no controllers of its own, and the user')
    .option('--only <name...>', 'only these controllers; without it, all of them')
    .addHelpText('after', controllersHelp)
    .allowExcessArguments(false)
    .action(async (flags: { readonly kubeconfig: string; readonly only?: readonly string[] }) => {
      const { runControllers } = await import('./cluster-controllers.ts');
      await untilStopped('controllers', (signal) => runControllers(flags, signal));
    });
  return cluster;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}

/** Runs until it ends or is asked to; what goes wrong is one sentence on standard error. */
async function untilStopped(name: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
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
