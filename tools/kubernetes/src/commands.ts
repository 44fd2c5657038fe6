/**
 * The command line: `up`, `down`, `status`, `env` and `exec`.
 *
 * Answers go to standard output, everything else to standard error. What the user can mend is one sentence and the
 * exit code 1; only a defect of ours shows a stack.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { kubernetesVersion } from './binaries/versions.ts';
import { sweep, takeDown } from './cluster/down.ts';
import { bringUp } from './cluster/up.ts';
import { type Cluster, type ClusterRecord, findCluster, isAlive, type Ready } from './cluster-directory/record.ts';
import type { Context } from './machine/context.ts';
import { duration } from './machine/progress.ts';
import { hasErrorCode, isUserFacingError, UserFacingError } from './machine/user-facing-error.ts';
import { recordedProcesses } from './processes/ledger.ts';
import { isRunning } from './processes/process-table.ts';
import { exitCode } from './processes/run.ts';
import { environmentOf } from './start-kubernetes.ts';

export interface CommandContext extends Context {
  print(line: string): void;
}

interface Named {
  readonly name: string;
}

interface UpFlags extends Named {
  readonly pods: boolean;
  readonly auditLog: boolean;
  readonly controllers: boolean;
  readonly kubernetesVersion?: string;
  readonly port?: number;
}

/** Runs one command, as given after the program's name, and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  let code = 0;
  const program = commandLine(context, (value) => {
    code = value;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const sentence = explain(error, context);
    if (sentence === undefined) throw error;
    context.progress.say(sentence);
    return 1;
  }
}

function commandLine(context: CommandContext, exit: (code: number) => void): Command {
  const program = new Command('kube')
    .description('A real Kubernetes on this machine, for development and tests.')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.progress.say(text.trimEnd()),
    });
  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .allowExcessArguments(false)
      .option('--name <name>', 'which cluster', 'default');

  command('up', 'start a cluster, and return when it is ready')
    .option('--pods', 'run a node with containerd and kubelet, so that pods really run (needs root)', false)
    .option('--audit-log', 'log every request', false)
    .option('--no-controllers', 'leave the controller manager and the scheduler out')
    .option('--kubernetes-version <version>', `another version than ${kubernetesVersion}`)
    .option('--port <port>', "the API server's port, instead of a free one", parsePort)
    .action((flags: UpFlags) => up(flags, context));
  command('down', 'stop a cluster, and leave nothing of it behind').action((flags: Named) => down(flags, context));
  command('status', 'say what a cluster is doing; fails unless it is up').action(({ name }: Named) =>
    exit(status(name, context)),
  );
  command('env', 'print the environment for a shell: eval "$(npm run --silent kube -- env)"').action(
    ({ name }: Named) => printEnvironment(name, context),
  );
  command('exec', 'run a command in that environment: npm run kube -- exec -- kubectl get pods')
    .argument('<command...>', 'the command and its arguments, after "--"')
    .action(async (command: string[], { name }: Named) => exit(await execute(command, name, context)));
  return program;
}

async function up(flags: UpFlags, context: CommandContext) {
  const { name, pods, auditLog, kubernetesVersion: version, port } = flags;
  const controllers = flags.controllers ? undefined : false;
  const { layout, record } = await bringUp(
    {
      name,
      private: false,
      pods,
      auditLog,
      version,
      port,
      apiServerFlags: [],
      controllers,
      controllerManagerFlags: [],
    },
    context,
  );
  const option = name === 'default' ? '' : ` --name ${name}`;
  context.print(`Kubernetes ${record.version} is up after ${duration(record.ready.startupMs)}.`);
  context.print(`  server      ${record.ready.server}`);
  context.print(`  kubeconfig  ${layout.kubeconfig}`);
  if (auditLog) context.print(`  audit log   ${layout.auditLog}`);
  context.print(`  use it      eval "$(npm run --silent kube -- env${option})"`);
}

async function down({ name }: Named, context: CommandContext): Promise<void> {
  const cluster = findCluster(name, context.env);
  if (cluster) await takeDown(cluster, context);
  context.print(cluster ? `Cluster "${name}" is down.` : `Cluster "${name}" is not up.`);
  for (const swept of await sweep(context)) context.print(`Cluster "${swept}", whose test was killed, is down.`);
}

function status(name: string, { env, print }: CommandContext): number {
  const cluster = findCluster(name, env);
  print(describe(name, cluster));
  if (!cluster) return 1;
  const processes = recordedProcesses(cluster.layout.ledger);
  for (const { name: process, identity } of processes) {
    print(`  ${process.padEnd(24)} ${isRunning(identity) ? `process ${identity.pid}` : 'ended'}`);
  }
  return cluster.record?.ready && processes.every(({ identity }) => isRunning(identity)) ? 0 : 1;
}

function describe(name: string, cluster: Cluster | undefined): string {
  if (!cluster) return `Cluster "${name}" is not up.`;
  const { record, layout } = cluster;
  if (!record?.ready) {
    const isStarting = record !== undefined && isAlive(record);
    return `Cluster "${name}" ${isStarting ? 'is being started' : 'was left behind by an "up" that did not end'}.`;
  }
  const { server, pods, auditLog } = record.ready;
  return [
    `Cluster "${name}" runs Kubernetes ${record.version}${pods ? ' with a node' : ''}.`,
    `  ${'server'.padEnd(24)} ${server}`,
    `  ${'kubeconfig'.padEnd(24)} ${layout.kubeconfig}`,
    ...(auditLog ? [`  ${'audit log'.padEnd(24)} ${layout.auditLog}`] : []),
    `  ${'logs'.padEnd(24)} ${layout.ledger.logs}`,
  ].join('\n');
}

function printEnvironment(name: string, { env, print }: CommandContext): void {
  const { layout } = readyCluster(name, env);
  print(`export KUBECONFIG=${quote(layout.kubeconfig)}`);
  print(`export PATH=${quote(layout.programs)}:"$PATH"`);
}

function execute([program = '', ...args]: readonly string[], name: string, { env }: CommandContext): Promise<number> {
  const { layout } = readyCluster(name, env);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: environmentOf(layout, env) });
    // A terminal sends its interrupt to the child as well: the child decides, and we pass on how it ended.
    const ignore = () => {};
    const forward = () => void child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGTERM', forward);
    const settled = () => process.off('SIGINT', ignore).off('SIGTERM', forward);
    child.on('error', (error) => {
      settled();
      const isMissing = hasErrorCode(error, 'ENOENT');
      reject(isMissing ? new UserFacingError(`There is no command ${program}.`, { cause: error }) : error);
    });
    child.on('close', (code, signal) => {
      settled();
      resolve(exitCode(code, signal));
    });
  });
}

function readyCluster(name: string, env: Context['env']): Cluster & { record: ClusterRecord & { ready: Ready } } {
  const cluster = findCluster(name, env);
  const { layout, record } = cluster ?? {};
  if (layout && record?.ready) return { layout, record: { ...record, ready: record.ready } };
  throw new UserFacingError(describe(name, cluster));
}

/** The sentence for what the user can mend. */
function explain(error: unknown, { signal }: Context): string | undefined {
  if (isUserFacingError(error)) return error.message;
  if (signal?.aborted && error === signal.reason) return 'Interrupted; nothing is left behind.';
  if (hasErrorCode(error, 'ENOSPC')) return 'No space is left on the disk.';
  return undefined;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** 130 for an interrupt, as shells have it. */
export function interruptedCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
