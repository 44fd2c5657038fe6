/** `keelson undeploy`: takes off a cluster what `keelson deploy` has made there. */
import { Command } from 'commander';
import type { UndeployFlags } from './deploy/flags.ts';
import { clusterFlags, onlyLocal, operatorFlag, outputFlag, secondsOf } from './flags.ts';
import type { Shell } from './shell.ts';

const help = `
It deletes what "keelson deploy" has made, the operator's Lease and the Secret of its
certificates. The namespace goes with it if a deploy made it and nothing else is in it.
Definitions and all objects of their kinds stay, with what the operator made of them.

With --definitions they go first, while the operator still runs and can clean up. Where
objects exist, it lists them and asks; without a terminal it needs --yes.
${onlyLocal}

Examples:
  $ keelson undeploy
  $ keelson undeploy --context staging --definitions --yes`;

export function undeployCommand(shell: Shell): Command {
  const command = new Command('undeploy').description(
    'Take off a cluster what "keelson deploy" has made; definitions and objects of their kinds stay.',
  );
  return outputFlag(clusterFlags(operatorFlag(command)))
    .option('--definitions', 'delete the definitions (CRDs), too, and every object of their kinds')
    .option('--yes', 'delete these objects without asking')
    .option('--timeout <seconds>', 'how long to wait until all is gone', secondsOf, 120)
    .addHelpText('after', help)
    .action(async (flags: UndeployFlags) => {
      const { undeploy } = await import('./deploy/undeploy.ts');
      await undeploy(flags, shell);
    });
}
