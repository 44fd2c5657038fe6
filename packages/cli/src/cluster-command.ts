/** `keelson cluster`: a cluster of our own in the foreground, or its controllers on someone else's API server. */
import { Command, InvalidArgumentError } from 'commander';
import type { ControllersFlags } from './cluster-controllers.ts';
import type { PodFlags } from './cluster-pods.ts';
import { type Shell, untilStopped } from './shell.ts';

const startHelp = `
It says when the cluster is ready, and which KUBECONFIG to export.
kubectl and every other client work on it. Pods are simulated: no container exists,
and unless something else is said, every image can be pulled and every pod becomes
ready. A file says what goes wrong, and so do annotations such as
"pods.keelson/fails: OOMKilled"; docs/cluster.md has all words.

Examples:
  $ keelson cluster start --write-kubeconfig kubeconfig
  $ KUBECONFIG=kubeconfig kubectl get nodes     (in another terminal)

  $ cat pods.yaml
  - match: { image: "memcached:2*" }
    fails: ImagePullBackOff
  $ keelson cluster start --pods pods.yaml`;

const controllersHelp = `
The controllers are deployment, replicaset, garbage-collector, namespace and others;
a name that there is not lists all of them. The node is the controller named "node".

Example:
  $ keelson cluster controllers --kubeconfig kubeconfig --only deployment replicaset`;

const podsFlag = '--pods <file>';
const podsText = 'what pods do, as YAML or JSON; without it, all goes well';
const imagesFlag = '--images <image...>';
const imagesText = 'the only images that can be pulled, with * for any characters; without it, all can';

/** What the cluster in this process is told. */
export interface StartFlags extends PodFlags {
  readonly writeKubeconfig?: string;
  readonly port?: number;
}

/** The command with its subcommands; what they run is loaded when it is called. */
export function clusterCommand(shell: Shell): Command {
  const cluster = new Command('cluster').description('Run a Kubernetes of our own, for development and tests.');
  const start = cluster
    .command('start')
    .description(
      'Run an API server, controllers and a simulated node in this process, until Ctrl-C. Objects and certificates ' +
        'live in memory: each start is a new cluster.',
    );
  clusterStartFlags(start)
    .addHelpText('after', startHelp)
    .action(async (flags: StartFlags) => {
      // Loaded late: `keelson --help` needs none of it.
      const { startCluster } = await import('./cluster-start.ts');
      await untilStopped(shell, (signal) => startCluster(flags, shell, signal));
    });
  cluster
    .command('controllers')
    .description('Run the controllers and the simulated node on another API server, until Ctrl-C.')
    .requiredOption('--kubeconfig <file>', 'the API server, which must have no controllers of its own, and the user')
    .option('--only <name...>', 'only these controllers; without it, all of them')
    .option(podsFlag, podsText)
    .option(imagesFlag, imagesText)
    .addHelpText('after', controllersHelp)
    .action(async (flags: ControllersFlags) => {
      const { runControllers } = await import('./cluster-controllers.ts');
      await untilStopped(shell, (signal) => runControllers(flags, signal));
    });
  return cluster;
}

/** The flags of a command that starts a cluster in its process. */
export function clusterStartFlags(command: Command): Command {
  return command
    .option(
      '--write-kubeconfig <file>',
      'where to put the kubeconfig, which is removed in the end; without it, a temporary folder',
    )
    .option('--port <port>', "the API server's port on 127.0.0.1; without it, a free one", portOf)
    .option(podsFlag, podsText)
    .option(imagesFlag, imagesText);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}
