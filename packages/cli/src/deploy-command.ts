/** `keelson deploy`: the operator in pods of a cluster, from its sources or from an image that is there. */
import { Command } from 'commander';
import { UsageError } from './command-error.ts';
import type { DeployFlags } from './deploy/flags.ts';
import { clusterFlags, onlyLocal, operatorFlag, outputFlag, secondsOf } from './flags.ts';
import { buildingFlags } from './image-command.ts';
import type { Shell } from './shell.ts';

const help = `
It applies what "keelson generate" makes, with the image set, on the server and under a
field manager of its own; what an earlier deploy made and this one does not is removed.
Then it waits for the pods and says why one does not start. With --build the image is built
and pushed first, and named by its digest, so that the same tag gets new pods.

Files need not be written first. An edited config/default is put together by kubectl.
What Helm or OLM has installed, and fields that somebody else has set, are told before
anything is changed. ${onlyLocal}

Examples:
  $ keelson deploy --image registry.example.com/my-operator:1.0.0
  $ keelson deploy --image registry.example.com/my-operator:dev --build --context staging
  $ keelson deploy --image 127.0.0.1:5000/my-operator:dev --build --plain-http 127.0.0.1:5000`;

export function deployCommand(shell: Shell): Command {
  const command = new Command('deploy').description(
    'Run the operator in pods of a cluster: apply its files with an image, and wait until it is ready.',
  );
  operatorFlag(command)
    .option('--image <image>', 'the operator\'s image; without it, "keelson.image" of package.json')
    .option('--build', 'build the image and push it first')
    .option('--namespace <name>', "the namespace of the operator's pods; without it, its name with -system")
    .option('--force-conflicts', 'take over what others have set')
    .option('--timeout <seconds>', 'how long the pods may take to be ready', secondsOf, 120);
  const building = buildingFlags();
  for (const each of building) command.addOption(each);
  return outputFlag(clusterFlags(command))
    .addHelpText('after', help)
    .action(async (flags: DeployFlags) => {
      const stray = building.find((each) => command.getOptionValueSource(each.attributeName()) === 'cli');
      if (stray !== undefined && !flags.build) {
        throw new UsageError(`${stray.long} is about an image that is built`, 'say --build, too');
      }
      const { deploy } = await import('./deploy/deploy.ts');
      await deploy(flags, shell);
    });
}
