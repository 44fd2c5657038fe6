/** `keelson migrate`: has every object stored in the version that definitions name now, and forgets the others. */
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

export type MigrateFlags = ClusterFlags & OperatorFlags & OutputFlags;

const examples = `
Objects stay stored in the version in which they were written last. Once another one is the
storage version, this writes each of them as it is, so that the API server stores it anew,
and takes the other versions out of status.storedVersions: then they can be taken out of the
definition. It can be stopped at any time; called again, it goes on with what was not
written since it began. Where versions are converted, the operator has to run meanwhile.
${onlyLocal}

Examples:
  $ keelson migrate
  $ keelson migrate memcacheds.cache.example.com --context staging`;

export function migrateCommand(shell: Shell): Command {
  const command = new Command('migrate')
    .description('Store all objects in the current storage version, and forget the versions before.')
    .argument('[definitions...]', "names of definitions (CRDs); without any, those of the operator's kinds");
  return outputFlag(clusterFlags(operatorFlag(command)))
    .addHelpText('after', examples)
    .action(async (definitions: readonly string[], flags: MigrateFlags) => {
      const { migrate } = await import('./migrate.ts');
      await migrate(definitions, flags, shell);
    });
}
