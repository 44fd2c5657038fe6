/** `keelson plan`: what the operator would change on a cluster. */
import { Command } from 'commander';
import { type ClusterFlags, clusterFlags, type OperatorFlags, operatorFlag } from './flags.ts';
import type { Shell } from './shell.ts';

const examples = `
Each object is reconciled once, and what would be written is printed as a diff. Nothing is
written, so that any cluster will do, and the right to read is enough. It exits with 1 when
a pass fails.

Examples:
  $ keelson plan                                (what would "keelson run" do now?)
  $ keelson plan --context production -- --namespace team-a`;

export function planCommand(shell: Shell): Command {
  const command = new Command('plan')
    .description('Print what the operator would write, and write nothing.')
    .argument('[flags...]', 'for the operator itself, after --');
  return clusterFlags(operatorFlag(command))
    .addHelpText('after', examples)
    .action(async (argv: readonly string[], flags: ClusterFlags & OperatorFlags) => {
      const [{ loadOperator }, { planOperator }] = await Promise.all([
        import('./operator-module.ts'),
        import('./run-operator.ts'),
      ]);
      const module = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
      await planOperator(module, { ...flags, argv }, shell);
    });
}
