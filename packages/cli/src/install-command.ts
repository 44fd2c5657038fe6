/** `keelson install`: the definitions of the operator's kinds, on a cluster. */
import { Command } from 'commander';
import {
  type ClusterFlags,
  clusterFlags,
  type OperatorFlags,
  type OutputFlags,
  onlyLocal,
  operatorFlag,
  outputFlag,
} from './flags.ts';
import type { Shell } from './shell.ts';

export type InstallFlags = ClusterFlags & OperatorFlags & OutputFlags;

const examples = `
Definitions are applied on the server, so that their size does not matter, and it waits
until each is served. ${onlyLocal}

Examples:
  $ keelson install
  $ keelson install --context staging --output json`;

export function installCommand(shell: Shell): Command {
  const command = new Command('install').description(
    "Install the definitions (CRDs) of the operator's kinds, or bring them up to date.",
  );
  return outputFlag(clusterFlags(operatorFlag(command)))
    .addHelpText('after', examples)
    .action(async (flags: InstallFlags) => {
      const { install } = await import('./install.ts');
      await install(flags, shell);
    });
}
