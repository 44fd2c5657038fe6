/** Installs definitions, and says of each whether it is new, changed or as it was. */
import { type Client, installDefinitions } from '@keelson/client';
import { type InputOf, isInvalid } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { openCluster } from './chosen-cluster.ts';
import { CommandError } from './command-error.ts';
import { installedDefinitions } from './definitions.ts';
import { formerDefinitions, howToRemove } from './former-definitions.ts';
import type { InstallFlags } from './install-command.ts';
import { loadOperator } from './operator-module.ts';
import { json, painted } from './print.ts';
import { progress, type Shell } from './shell.ts';

type Definition = InputOf<typeof CustomResourceDefinition>;

/** What an install did to one definition. */
export interface Installed {
  readonly name: string;
  readonly result: 'created' | 'changed' | 'unchanged';
  /** Those that are served. */
  readonly versions: readonly string[];
}

export async function install(flags: InstallFlags, shell: Shell): Promise<void> {
  const module = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  const { operator, kinds } = module;
  await using cluster = await openCluster(flags, shell);
  const { server } = cluster.config;
  if (kinds.length > 0) progress(shell, `Installing ${kinds.map(({ kind }) => kind).join(', ')} on ${server}`);
  const definitions = await applyDefinitions(cluster.client, await installedDefinitions(module));
  if (flags.output === 'json') shell.out(json({ server, definitions }));
  else if (definitions.length === 0) shell.out(`${operator.name} defines no kinds: there is nothing to install.\n`);
  else shell.out(definitions.map((each) => lineOf(each, shell)).join(''));
}

/** Resolves when all of them are served. */
export async function applyDefinitions(
  client: Client,
  definitions: readonly Definition[],
  signal?: AbortSignal,
): Promise<readonly Installed[]> {
  const find = ({ metadata: { name = '' } }: Definition) => client.find(CustomResourceDefinition, name, { signal });
  const before = await Promise.all(definitions.map(find));
  const after = await installDefinitions(client, definitions, { signal }).catch(async (error: unknown) => {
    const [former] = isInvalid(error) ? await formerDefinitions(client, definitions) : [];
    if (former === undefined) throw error;
    const problem = `${former.now} is not accepted, since ${former.name} has the kind ${former.kind}`;
    throw new CommandError(problem, howToRemove(former), { cause: error });
  });
  return after.map(({ metadata: { name, generation }, spec }, i) => {
    const previous = before[i]?.metadata;
    return {
      name,
      result: previous === undefined ? 'created' : previous.generation === generation ? 'unchanged' : 'changed',
      versions: spec.versions.filter(({ served }) => served).map((version) => version.name),
    };
  });
}

/** `created    memcacheds.cache.example.com (v1alpha1)` */
export function lineOf({ name, result, versions }: Installed, shell: Shell): string {
  const style = result === 'unchanged' ? 'dim' : 'green';
  return `${painted(shell, style, result.padEnd(9))}  ${name} (${versions.join(', ')})\n`;
}
