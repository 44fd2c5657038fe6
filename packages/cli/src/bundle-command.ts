/** `keelson bundle`: an operator for OLM, from its declarations and the words of its project. */
import { Command } from 'commander';
import { type OperatorFlags, type OutputFlags, operatorFlag, outputFlag } from './flags.ts';
import type { Shell } from './shell.ts';

export interface BundleFlags extends OperatorFlags, OutputFlags {
  readonly image?: string;
  readonly version?: string;
  readonly channels?: string;
  readonly defaultChannel?: string;
  readonly replaces?: string;
  readonly catalogue?: string;
  readonly bundleImage?: string;
  readonly check?: boolean;
}

const help = `
It writes bundle/: the ClusterServiceVersion, definitions, roles for users, Services
and what an image of them is made with. Examples are the objects in config/samples.
What no declaration says stands in config/bundle.yaml:

  displayName: Website
  description: Runs websites.             (Markdown)
  provider: { name: Example }
  maintainers: [{ name: Ada, email: ada@example.com }]

and, if there is more to say: summary, keywords, links (name, url), icon (a file: .svg,
.png, .jpg or .gif), categories, capabilities, maturity, minKubeVersion, version,
channels, defaultChannel, replaces, skips, skipRange. docs/olm.md says what each is for.

A catalogue is what OLM is offered: <folder>/<operator>/catalog.yaml has the channels, the
versions in them, and which replaces which. Versions that are in it stay.

Examples:
  $ keelson bundle --version 1.1.0 --replaces 1.0.0 --channels stable,candidate
  $ keelson bundle --catalogue catalogue
  $ keelson bundle --check            (in CI: fails when a file is not as generated)`;

/** The command; what it runs is loaded when it is called. */
export function bundleCommand(shell: Shell): Command {
  const command = new Command('bundle').description(
    'Write the bundle by which OLM, the Operator Lifecycle Manager, installs the operator.',
  );
  operatorFlag(command)
    .option('--image <image>', "the operator's image; without it, that of package.json, or its name and version")
    .option('--version <version>', 'of the bundle; without it, that of config/bundle.yaml, then of package.json')
    .option(
      '--channels <list>',
      'where it is offered, such as stable,candidate; without it, as config/bundle.yaml says, or stable',
    )
    .option('--default-channel <name>', 'the one that is taken unless another is asked for; without it, the first')
    .option('--replaces <version>', 'the version before, from which is upgraded')
    .option('--catalogue <folder>', 'add this version to the catalogue in that folder, too')
    .option('--bundle-image <image>', 'where the image of the bundle is; without it, the catalogue holds the manifests')
    .option('--check', 'write nothing; show what is not as generated, and exit with 1 if anything is');
  return outputFlag(command)
    .addHelpText('after', help)
    .action(async (flags: BundleFlags) => {
      const { bundle } = await import('./bundle.ts');
      await bundle(flags, shell);
    });
}
