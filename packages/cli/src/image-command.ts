/** `keelson image`: an operator as a container image, without Docker. */
import { Command, Option } from 'commander';
import { type OutputFlags, operatorFlag, outputFlag } from './flags.ts';
import type { ImageBuildFlags, ImageFlags } from './image/flags.ts';
import type { Shell } from './shell.ts';

const help = `
The image has a layer with the packages that the operator needs and one with its
program, which is built from the sources, on a base with Node in it. It runs as
user 65532 on a read-only file system. The same project on the same base has the
same digest wherever the same Node builds it; SOURCE_DATE_EPOCH sets its date, which
is 1970 otherwise. A bill of materials (SPDX) is attached for each platform.

The base is an image that has Node, pulled from its registry, or "packages": Node
from its npm package and the C and C++ libraries from Debian's, for which npm,
apt-get and dpkg-deb must be here. That one has no shell.

Layers are kept below XDG_CACHE_HOME, and what has not changed is neither made nor
sent again. Credentials are those of "docker login".
`;

const buildHelp = `${help}
Examples:
  $ keelson image build
  $ keelson image build --output docker-archive --tag my-operator:1.0.0
  $ docker load --input dist/image.tar`;

const pushHelp = `${help}
Examples:
  $ keelson image push registry.example.com/my-operator:1.0.0
  $ keelson image push --plain-http 127.0.0.1:5000 127.0.0.1:5000/my-operator:dev`;

/** The command with its subcommands; what they run is loaded when it is called. */
export function imageCommand(shell: Shell): Command {
  const image = new Command('image').description('Build the operator as a container image, and push it.');
  imageFlags(image.command('build'))
    .description('Build the image into a folder or an archive, without Docker.')
    .option('--tag <image>', "the image's name in what is written; without it, name and version of package.json")
    .addOption(
      new Option('--output <form>', 'a folder in the layout of OCI, or an archive for "docker load"')
        .choices(['oci-dir', 'docker-archive'])
        .default('oci-dir'),
    )
    .option('--to <path>', 'where it goes; without it, dist/image or dist/image.tar')
    .addHelpText('after', buildHelp)
    .action(async (flags: ImageBuildFlags) => {
      const { buildToFiles } = await import('./image/run.ts');
      await buildToFiles(flags, shell);
    });
  outputFlag(imageFlags(image.command('push')))
    .description('Build the image and send it to a registry.')
    .argument('<image>', 'where it goes, such as registry.example.com/my-operator:1.0.0')
    .addHelpText('after', pushHelp)
    .action(async (reference: string, flags: ImageFlags & OutputFlags) => {
      const { buildAndPush } = await import('./image/run.ts');
      await buildAndPush(reference, flags, shell);
    });
  return image;
}

function imageFlags(command: Command): Command {
  operatorFlag(command);
  for (const each of buildingFlags()) command.addOption(each);
  return command;
}

/** How an image is built, wherever one is. */
export const buildingFlags = (): readonly Option[] => [
  new Option('--base <image>', 'an image that has Node on its path, or "packages"').default('node:24-alpine3.22'),
  new Option('--platform <list>', 'which machines it is for').default('linux/amd64,linux/arm64'),
  new Option('--node-version <version>', 'of Node in a base of packages; without it, the one that runs this'),
  new Option('--fresh-base', 'make a base of packages anew, with the libraries of today'),
  new Option('--plain-http <registry>', 'speak HTTP to this one, not HTTPS; passwords are then sent in the clear'),
];
