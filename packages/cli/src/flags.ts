/** Flags that several commands have, each with one wording. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './command-error.ts';

/** Which operator. */
export interface OperatorFlags {
  readonly operator?: string;
}

/** Which cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** For whom the answer is. */
export interface OutputFlags {
  readonly output: 'text' | 'json';
}

export function operatorFlag(command: Command): Command {
  return command.option(
    '--operator <file>',
    'the file that exports the operator; without it, the one that "keelson.operator" in package.json names',
  );
}

export function clusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the cluster; without it, KUBECONFIG, then ~/.kube/config')
    .option('--context <name>', 'the context of that file; without it, its current one');
}

/** The operator's own flags must not lead to another cluster than the one that was looked at. */
export function refuseClusterFlags(argv: readonly string[]): void {
  const flag = argv.find((each) => /^--(kubeconfig|context)(=|$)/.test(each))?.split('=')[0];
  if (flag !== undefined)
    throw new UsageError(`${flag} says which cluster, and stands after --`, 'put it before the --');
}

export function outputFlag(command: Command): Command {
  return command.addOption(
    new Option('--output <form>', 'text for people, json for scripts').choices(['text', 'json']).default('text'),
  );
}

/** The value of a flag that says how long something may take. */
export function secondsOf(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds greater than 0.');
}

/** What the help of each command that changes a cluster says. */
export const onlyLocal = `A cluster that is not on this machine (by a loopback address)
has to be named with --context: the current context may be production.`;
