/** Runs an operator that was loaded: in this process by the engine, or by the program that its package has for that. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Client } from '@keelson/client';
import { convertedKinds, type Operator, servesWebhooks } from '@keelson/core';
import type { EngineOperator, ManagerOptions } from '@keelson/runtime';
import type { OutsideOptions, OutsideWebhooks } from '@keelson/runtime/outside';
import { openCluster } from './chosen-cluster.ts';
import { CommandError, Discrepancy, UsageError } from './command-error.ts';
import { OperatorProcess } from './dev-process.ts';
import type { ClusterFlags } from './flags.ts';
import type { OperatorModule } from './operator-module.ts';
import { requireDefinitions } from './require-definitions.ts';
import { aborted, type Shell } from './shell.ts';

/** The context is the one that was looked at, since a kubeconfig's current one may change at any moment. */
export interface RunOptions extends ClusterFlags {
  /** For the operator itself. */
  readonly argv: readonly string[];
  /** Where the API server reaches its webhooks on this machine. */
  readonly webhookUrl?: string | undefined;
}

interface EngineModule extends OperatorModule {
  readonly operator: EngineOperator;
}

/** As long as Kubernetes gives a pod. */
const patienceMs = 30_000;

/** Whether the engine can run it; the declarations of an operator on the client alone do not say what to do. */
export function isEngineOperator(operator: Operator): operator is EngineOperator {
  const { controllers, webhooks = [] } = operator;
  const answers = (each: object) => 'default' in each || 'validate' in each;
  return controllers.every((each) => 'reconcile' in each) && webhooks.every(answers);
}

export async function runOperator(module: OperatorModule, options: RunOptions, shell: Shell): Promise<void> {
  const { operator, place } = module;
  if (isEngineOperator(operator)) return runAsked({ ...module, operator }, options, shell);
  if (options.webhookUrl !== undefined) {
    throw new UsageError(`${operator.name} is run by its own program`, 'leave --webhook-url out');
  }
  await runProgram(programOf(operator, place), options, shell);
}

export async function planOperator(module: OperatorModule, options: RunOptions, shell: Shell): Promise<void> {
  const { operator } = module;
  if (isEngineOperator(operator)) {
    await requireDefinitions(module, options, shell);
    return runEngine(operator, { ...options, argv: ['--plan', ...options.argv] }, shell);
  }
  throw new CommandError(
    `${operator.name} is written on the client alone`,
    'a plan is what the engine makes of a controller',
  );
}

/** The program of a package whose operator the engine cannot run. */
export function programOf({ name }: Operator, { main }: OperatorModule['place']): string {
  if (main !== undefined) return main;
  throw new CommandError(
    `${name} has no reconcile functions, and package.json does not say which program runs it`,
    'add "keelson": { "main": "./src/main.ts" } to it',
  );
}

/** With its webhooks on this machine, if they are wanted there; what such a run has left behind is put back in any case. */
async function runAsked(module: EngineModule, options: RunOptions, shell: Shell): Promise<void> {
  const { operator } = module;
  const { webhookUrl, argv } = options;
  if ((!servesWebhooks(operator) && webhookUrl === undefined) || argv.includes('--help')) {
    return runEngine(operator, options, shell);
  }
  const { endOutside } = await import('@keelson/runtime/outside');
  await using cluster = await openCluster(options, shell);
  if (webhookUrl === undefined) {
    await endOutside(cluster.client, operator);
    return runEngine(operator, options, shell);
  }
  await using outside = await outsideAt(webhookUrl, module, cluster.client);
  shell.out(`${cluster.config.server} asks ${webhookUrl} until this ends, by ${outside.told.join(' and ')}.\n`);
  await runEngine(operator, options, shell, { webhooks: { ...outside.webhooks, setBy: '--webhook-url' } });
}

async function outsideAt(url: string, { operator, kinds }: EngineModule, client: Client): Promise<OutsideWebhooks> {
  const { answerOutside } = await import('@keelson/runtime/outside');
  const { crdOf } = await import('@keelson/schema');
  const converted = kinds.filter((kind) => convertedKinds(operator).includes(kind));
  const definitions: OutsideOptions['definitions'] = (conversion) =>
    converted.map((kind) => crdOf(kind, { conversion }));
  return answerOutside(operator, { client, url, definitions }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--webhook-url: ${error.message}`, undefined, { cause: error });
  });
}

/** The engine reads its own arguments, prints, handles signals and sets the exit code. */
async function runEngine(
  operator: EngineOperator,
  options: RunOptions,
  { cwd }: Shell,
  given: Pick<ManagerOptions, 'webhooks'> = {},
): Promise<void> {
  const { kubeconfig, context, argv } = options;
  const { run } = await import('@keelson/runtime');
  const cluster = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', resolve(cwd, kubeconfig)]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  await run(operator, [...cluster, ...argv], given);
}

async function runProgram(main: string, { argv, ...flags }: RunOptions, shell: Shell): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-'));
  try {
    const stop = shell.stopSignal();
    const env = await environmentFor(flags, shell, folder);
    const program = OperatorProcess.program(main, argv, env);
    const how = await Promise.race([program.ended, aborted(stop)]);
    if (how === undefined) await program.stop(patienceMs);
    else if (how !== 0) throw new Discrepancy(`${main} has ended (${how})`, typeof how === 'number' ? how : 1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A program has no flags for this: KUBECONFIG names the file, and one before it that says nothing but the context. */
export async function environmentFor({ kubeconfig, context }: ClusterFlags, { cwd, env }: Shell, folder: string) {
  const named = kubeconfig === undefined ? env.KUBECONFIG : resolve(cwd, kubeconfig);
  if (context === undefined) return { ...env, ...(named !== undefined && { KUBECONFIG: named }) };
  const chooser = join(folder, 'context');
  await writeFile(chooser, `apiVersion: v1\nkind: Config\ncurrent-context: ${JSON.stringify(context)}\n`);
  const files = named || join(env.HOME || homedir(), '.kube', 'config');
  return { ...env, KUBECONFIG: [chooser, files].join(delimiter) };
}
