/** `keelson uninstall`: takes the definitions off a cluster, and with them every object of their kinds. */
import { Command } from 'commander';
import {
  type ClusterFlags,
  clusterFlags,
  type OperatorFlags,
  type OutputFlags,
  onlyLocal,
  operatorFlag,
  outputFlag,
  secondsOf,
} from './flags.ts';
import type { Shell } from './shell.ts';

export interface UninstallFlags extends ClusterFlags, OperatorFlags, OutputFlags {
  readonly yes?: boolean;
  readonly timeout: number;
}

const examples = `
Where objects exist, it lists them and asks; without a terminal it needs --yes. So it does
where they cannot be listed, as of a kind with no version that is served. Objects with a
finalizer go only while their operator runs. ${onlyLocal}

Examples:
  $ keelson uninstall
  $ keelson uninstall --context staging --yes`;

export function uninstallCommand(shell: Shell): Command {
  const command = new Command('uninstall').description(
    "Delete the definitions (CRDs) of the operator's kinds, and every object of these kinds.",
  );
  return outputFlag(clusterFlags(operatorFlag(command)))
    .option('--yes', 'delete the objects, too, without asking')
    .option('--timeout <seconds>', 'how long to wait until all is gone', secondsOf, 30)
    .addHelpText('after', examples)
    .action(async (flags: UninstallFlags) => {
      const { uninstall } = await import('./uninstall.ts');
      await uninstall(flags, shell);
    });
}
