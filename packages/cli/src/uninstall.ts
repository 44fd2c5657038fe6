/** Deletes definitions once it is clear that the objects of their kinds may go, and waits until all is gone. */
import type { Client } from '@keelson/client';
import {
  isConflict,
  isNotFound,
  type Kind,
  keyOf,
  metadataOf,
  type ObjectOf,
  resourceNameOf,
  sleep,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { openCluster } from './chosen-cluster.ts';
import { CommandError } from './command-error.ts';
import { loadOperator } from './operator-module.ts';
import { json } from './print.ts';
import { progress, type Shell } from './shell.ts';
import type { UninstallFlags } from './uninstall-command.ts';

interface Present {
  readonly definition: ObjectOf<typeof CustomResourceDefinition>;
  /** The keys of the objects of its kind; absent where they cannot be listed. */
  readonly objects: readonly string[] | undefined;
}

const pollMs = 100;

export async function uninstall(flags: UninstallFlags, shell: Shell): Promise<void> {
  const { kinds } = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  await using cluster = await openCluster(flags, shell);
  const { client, config } = cluster;
  const names = kinds.map(resourceNameOf);
  const found = await Promise.all(names.map((name) => presentOf(client, name)));
  const present = found.filter((each) => each !== undefined);
  await requireConsent(present, config.server, flags, shell);
  progress(shell, `Deleting ${present.map(nameOf).join(', ') || 'nothing'} on ${config.server}`);
  for (const each of present) await remove(client, each);
  await untilGone(client, present, flags.timeout);
  const definitions = names.map((name, i) => ({
    name,
    result: found[i] === undefined ? 'absent' : 'deleted',
    objects: found[i] === undefined ? 0 : (found[i].objects?.length ?? null),
  }));
  if (flags.output === 'json') shell.out(json({ server: config.server, definitions }));
  else {
    for (const { name, result, objects } of definitions) {
      const along = objects === null ? ` with ${unlisted}` : objects > 0 ? ` with ${counted(objects)}` : '';
      shell.out(`${result.padEnd(7)}  ${name}${along}\n`);
    }
  }
}

const nameOf = ({ definition }: Present) => definition.metadata.name;

async function presentOf(client: Client, name: string): Promise<Present | undefined> {
  const definition = await client.find(CustomResourceDefinition, name);
  return definition && { definition, objects: await objectsOf(client, definition) };
}

/** In a version that the cluster serves: it may have another definition of the kind than we do. */
async function objectsOf(
  client: Client,
  { spec }: ObjectOf<typeof CustomResourceDefinition>,
): Promise<readonly string[] | undefined> {
  const version = spec.versions.find(({ served }) => served)?.name;
  if (version === undefined) return undefined; // what is stored is there, and nobody can see it
  const { group, names } = spec;
  const scope = spec.scope as Kind['scope'];
  const kind: Kind = { group, version, kind: names.kind, resource: names.plural, scope };
  try {
    return (await client.list(metadataOf(kind))).items.map(keyOf);
  } catch (error) {
    if (isNotFound(error)) return undefined; // defined, and not served yet or any more
    throw error;
  }
}

async function requireConsent(
  present: readonly Present[],
  server: string,
  { yes = false, output }: UninstallFlags,
  shell: Shell,
): Promise<void> {
  const all = present.flatMap(({ objects = [] }) => objects).length;
  const isUnknown = present.some(({ objects }) => objects === undefined);
  if ((all === 0 && !isUnknown) || yes) return;
  const lost = present
    .filter(({ objects }) => objects?.length !== 0)
    .map((each) => `${nameOf(each)}: ${each.objects ? listed(each.objects) : unlisted}`);
  const what = [...(all > 0 ? [counted(all)] : []), ...(isUnknown ? [unlisted] : [])].join(' and ');
  const problem = `${what} on ${server} would be deleted with their definitions (${lost.join('; ')})`;
  if (!shell.isInteractive) throw new CommandError(problem, 'say --yes if you mean that');
  const say = output === 'json' ? shell.err : shell.out;
  say(`These go with their definitions on ${server}:\n${lost.map((line) => `  ${line}\n`).join('')}`);
  if (!(await shell.confirm(`Delete ${what}?`))) throw new CommandError('nothing was deleted.');
}

async function untilGone(client: Client, present: readonly Present[], timeout: number): Promise<void> {
  const end = systemClock.monotonic() + timeout * 1000;
  for (const each of present) {
    const isSame = ({ metadata }: ObjectOf<typeof CustomResourceDefinition>) =>
      metadata.uid === each.definition.metadata.uid;
    for (;;) {
      const left = await client.find(CustomResourceDefinition, nameOf(each));
      if (left === undefined || !isSame(left)) break;
      if (systemClock.monotonic() >= end) throw await unfinished(client, left, timeout);
      await sleep(systemClock, pollMs);
    }
  }
}

async function unfinished(
  client: Client,
  definition: ObjectOf<typeof CustomResourceDefinition>,
  timeout: number,
): Promise<CommandError> {
  const objects = await objectsOf(client, definition);
  const waits = objects?.length ? `, because objects wait for their finalizers (${listed(objects)})` : '';
  return new CommandError(
    `${definition.metadata.name} is marked for deletion and not gone after ${timeout} s${waits}`,
    'let the operator run, which cleans up behind them: keelson run',
  );
}

/** The one that was looked at, and none that somebody has put in its place. */
async function remove(client: Client, { definition }: Present): Promise<void> {
  const { name, uid } = definition.metadata;
  try {
    await client.delete(CustomResourceDefinition, name, { preconditions: { uid } });
  } catch (error) {
    if (isConflict(error)) throw new CommandError(`${name} was made anew meanwhile, and stays`, 'call again');
    if (!isNotFound(error)) throw error;
  }
}

const unlisted = 'objects that cannot be listed';

const counted = (objects: number) => (objects === 1 ? '1 object' : `${objects} objects`);

const most = 10;
const listed = (keys: readonly string[]) =>
  keys.length <= most ? keys.join(', ') : `${keys.slice(0, most).join(', ')} and ${keys.length - most} more`;
