/** `keelson dev`: a cluster, the operator on it, and a restart on every change of its sources. */
import { Command } from 'commander';
import { clusterStartFlags, type StartFlags } from './cluster-command.ts';
import {
  type ClusterFlags,
  clusterFlags,
  type OperatorFlags,
  onlyLocal,
  operatorFlag,
  refuseClusterFlags,
} from './flags.ts';
import { type Shell, untilStopped } from './shell.ts';

export interface DevFlags extends ClusterFlags, OperatorFlags, StartFlags {
  readonly samples?: boolean;
}

const examples = `
The operator runs in a process of its own, under a role with just the rules that follow
from its declarations. A change below src, beside the operator's file or in package.json
starts it again, with its definitions brought up to date; the cluster and its objects stay.
What cannot be loaded is told, and the one from before goes on until the next change.

With --kubeconfig or --context it works on that cluster instead, as the user of the
kubeconfig; an environment variable alone never leads there. No leader is elected, so that
a restart waits for nobody; an election is had with -- --leader-elect.
${onlyLocal}

Examples:
  $ keelson dev
  $ keelson dev --samples --write-kubeconfig kubeconfig
  $ keelson dev --context kind-kind -- --log-level debug`;

export function devCommand(shell: Shell): Command {
  const command = new Command('dev')
    .description('Develop the operator on a cluster in this process, and start it again when its sources change.')
    .argument('[flags...]', 'for the operator itself, after --')
    .option('--samples', 'apply the files in config/samples, too');
  return clusterStartFlags(clusterFlags(operatorFlag(command)))
    .addHelpText('after', examples)
    .action(async (argv: readonly string[], flags: DevFlags) => {
      refuseClusterFlags(argv);
      const { dev } = await import('./dev.ts');
      await untilStopped(shell, (signal) => dev({ ...flags, argv }, shell, signal));
    });
}
