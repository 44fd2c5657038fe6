/** `keelson run`: the operator as this process, on the cluster of the kubeconfig. */
import { Command } from 'commander';
import {
  type ClusterFlags,
  clusterFlags,
  type OperatorFlags,
  onlyLocal,
  operatorFlag,
  refuseClusterFlags,
} from './flags.ts';
import type { Shell } from './shell.ts';

const examples = `
It acts as the user of the kubeconfig, and expects the definitions to be installed. An
operator that is written on the client alone is run by its own program, the one of "bin" in
package.json or "keelson.main". ${onlyLocal}

With --webhook-url the API server asks this process, which listens on that port: by
configurations that carry your name, let everything through when nobody answers, and are
removed at the end, or by your next run. Versions of its kinds are converted here, too: where
nobody else converts them, their definitions say so until the end. Others are left alone.

Examples:
  $ keelson run
  $ keelson run --context staging --webhook-url https://192.168.1.5:9443
  $ keelson run -- --namespace team-a --log-level debug
  $ keelson run -- --help                       (the flags of the operator itself)`;

interface RunFlags extends ClusterFlags, OperatorFlags {
  readonly webhookUrl?: string;
}

export function runCommand(shell: Shell): Command {
  const command = new Command('run')
    .description('Run the operator in the foreground, until Ctrl-C.')
    .argument('[flags...]', 'for the operator itself, after --');
  return clusterFlags(operatorFlag(command))
    .option('--webhook-url <url>', 'where the API server reaches its webhooks: https://HOST:PORT')
    .addHelpText('after', examples)
    .action(async (argv: readonly string[], flags: RunFlags) => {
      refuseClusterFlags(argv);
      const [{ loadOperator }, { chosenConfig }, { isEngineOperator, runOperator }] = await Promise.all([
        import('./operator-module.ts'),
        import('./chosen-cluster.ts'),
        import('./run-operator.ts'),
      ]);
      const module = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
      // Other programs may take --help for anything; the engine prints it, and needs no cluster for that.
      if (argv.includes('--help') && isEngineOperator(module.operator)) {
        return runOperator(module, { argv: ['--help'] }, shell);
      }
      const { context } = await chosenConfig(flags, shell);
      await runOperator(module, { ...flags, context, argv }, shell);
    });
}
