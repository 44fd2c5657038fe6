/** `keelson` as a function: arguments and a shell in, the exit code out. */
import { Command, CommanderError } from 'commander';
import { bundleCommand } from './bundle-command.ts';
import { chartCommand } from './chart-command.ts';
import { clusterCommand } from './cluster-command.ts';
import { failureOf } from './command-error.ts';
import { completionCommand } from './completion-command.ts';
import { createCommand } from './create-command.ts';
import { deployCommand } from './deploy-command.ts';
import { devCommand } from './dev-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { explainCommand } from './explain-command.ts';
import { generateCommand } from './generate-command.ts';
import { imageCommand } from './image-command.ts';
import { initCommand } from './init-command.ts';
import { installCommand } from './install-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { ownVersion } from './own-version.ts';
import { planCommand } from './plan-command.ts';
import { runCommand } from './run-command.ts';
import { scorecardCommand } from './scorecard-command.ts';
import type { Shell } from './shell.ts';
import { undeployCommand } from './undeploy-command.ts';
import { uninstallCommand } from './uninstall-command.ts';
import { versionCommand } from './version-command.ts';

/** Runs one command line. Everything that goes wrong is told on standard error; nothing is thrown. */
export async function keelson(argv: readonly string[], shell: Shell): Promise<number> {
  const program = programFor(shell);
  let running = program;
  program.hook('preAction', (_, command) => {
    running = command;
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { text, exitCode } = await failureOf(error);
    if (text !== '') shell.err(`${pathOf(running)}: ${text}\n`);
    return exitCode;
  }
}

/** All commands, in the order in which `--help` lists them. */
export function programFor(shell: Shell): Command {
  const program = new Command('keelson')
    .description('Kubernetes operators in TypeScript.')
    .version(ownVersion())
    .helpCommand(true)
    .enablePositionalOptions() // --version of a command is that of a kind
    .addCommand(initCommand(shell))
    .addCommand(createCommand(shell))
    .addCommand(devCommand(shell))
    .addCommand(generateCommand(shell))
    .addCommand(imageCommand(shell))
    .addCommand(chartCommand(shell))
    .addCommand(bundleCommand(shell))
    .addCommand(scorecardCommand(shell))
    .addCommand(deployCommand(shell))
    .addCommand(undeployCommand(shell))
    .addCommand(installCommand(shell))
    .addCommand(uninstallCommand(shell))
    .addCommand(migrateCommand(shell))
    .addCommand(runCommand(shell))
    .addCommand(planCommand(shell))
    .addCommand(explainCommand(shell))
    .addCommand(doctorCommand(shell))
    .addCommand(clusterCommand(shell))
    .addCommand(versionCommand(shell))
    .addCommand(completionCommand(shell));
  prepare(program, shell);
  return program;
}

/** What all commands have in common; commander hands it down only to those that it makes itself. */
function prepare(command: Command, shell: Shell): void {
  const what = command.commands.length > 0 ? 'commands' : 'options';
  command
    .exitOverride()
    .configureOutput({
      writeOut: shell.out,
      writeErr: shell.err,
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      getOutHasColors: () => shell.color,
    })
    .allowExcessArguments(false)
    .showHelpAfterError(`(${pathOf(command)} --help lists the ${what})`);
  for (const each of command.commands) prepare(each, shell);
}

/** `keelson cluster start` */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
