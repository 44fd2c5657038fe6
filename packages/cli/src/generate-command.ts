/** `keelson generate`: the files that install and describe an operator, from its declarations. */
import { Argument, Command } from 'commander';
import { type OperatorFlags, type OutputFlags, operatorFlag, outputFlag } from './flags.ts';
import type { Shell } from './shell.ts';

export interface GenerateFlags extends OperatorFlags, OutputFlags {
  readonly image?: string;
  readonly namespace?: string;
  readonly outputDir?: string;
  readonly check?: boolean;
}

const help = `
It writes config/ (definitions, roles, the operator's Deployment, kustomizations),
dist/install.yaml and docs/api.md, and only what has changed. Samples,
config/default and settings are made once and then yours. docs/generate.md says
what is made from what. With "chart" it also writes chart/, a Helm chart of the
operator; where that is, every "keelson generate" keeps it up to date.

package.json can say the same as the flags, and which namespaces are watched:
  "keelson": {
    "operator": "./src/operator.ts",
    "image": "registry.example.com/website-operator:1.0.0",
    "namespace": "websites",
    "namespaces": ["blue", "green"]
  }

Examples:
  $ keelson generate
  $ keelson generate --check          (in CI: fails when a file is not as generated)
  $ kubectl apply --server-side -k config/default
  $ keelson generate chart
  $ helm install website-operator chart --namespace websites --create-namespace`;

/** The command; what it runs is loaded when it is called. */
export function generateCommand(shell: Shell): Command {
  const command = new Command('generate').description(
    'Write the files that install and describe the operator: CRDs, RBAC, manifests, samples, API reference, chart.',
  );
  operatorFlag(command)
    .addArgument(new Argument('[part]', 'also the Helm chart').choices(['chart']))
    .option('--image <image>', "the operator's image; without it, its name and version")
    .option('--namespace <name>', "the namespace of the operator's pods; without it, its name with -system")
    .option('--output-dir <folder>', 'where the files go; without it, the folder of package.json')
    .option('--check', 'write nothing; show what is not as generated, and exit with 1 if anything is');
  return outputFlag(command)
    .addHelpText('after', help)
    .action(async (part: 'chart' | undefined, flags: GenerateFlags) => {
      const { generate } = await import('./generate.ts');
      await generate(part, flags, shell);
    });
}
