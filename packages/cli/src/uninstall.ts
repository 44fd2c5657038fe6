/** Deletes definitions once it is clear that the objects of their kinds may go, and waits until all is gone. */
import type { Client } from '@keelson/client';
import {
  isConflict,
  isInternalError,
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
  const found = await definitionsOf(client, kinds.map(resourceNameOf));
  await requireConsent(found, config.server, flags, shell);
  progress(
    shell,
    `Deleting ${found.flatMap(({ name, present }) => (present ? name : [])).join(', ') || 'nothing'} on ${config.server}`,
  );
  await deleteDefinitions(client, found, flags.timeout);
  const definitions = found.map(deletedOf);
  if (flags.output === 'json') shell.out(json({ server: config.server, definitions }));
  else for (const each of definitions) shell.out(`${each.result.padEnd(7)}  ${each.name}${along(each)}\n`);
}

/** What there is of each definition. */
export interface FoundDefinition {
  readonly name: string;
  readonly present: Present | undefined;
}

export async function definitionsOf(client: Client, names: readonly string[]): Promise<readonly FoundDefinition[]> {
  return await Promise.all(names.map(async (name) => ({ name, present: await presentOf(client, name) })));
}

/** Resolves when all of them are gone. */
export async function deleteDefinitions(
  client: Client,
  found: readonly FoundDefinition[],
  timeout: number,
): Promise<void> {
  const present = found.flatMap((each) => each.present ?? []);
  for (const each of present) await remove(client, each);
  await untilGone(client, present, timeout);
}

/** What became of a definition that was to go. */
interface DeletedDefinition {
  readonly name: string;
  readonly result: 'absent' | 'deleted';
  /** How many went with it; nobody knows where they could not be listed. */
  readonly objects: number | null;
}

const deletedOf = ({ name, present }: FoundDefinition): DeletedDefinition => ({
  name,
  result: present === undefined ? 'absent' : 'deleted',
  objects: present === undefined ? 0 : (present.objects?.length ?? null),
});

/** ` with 2 objects` */
export function along({ objects }: Pick<DeletedDefinition, 'objects'>): string {
  return objects === null ? ` with ${unlisted}` : objects > 0 ? ` with ${counted(objects)}` : '';
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
  const served = spec.versions.filter((each) => each.served);
  // What is stored in the version that is asked for needs nobody who converts it.
  const version = (served.find(({ storage }) => storage) ?? served[0])?.name;
  if (version === undefined) return undefined; // what is stored is there, and nobody can see it
  const { group, names } = spec;
  const scope = spec.scope as Kind['scope'];
  const kind: Kind = { group, version, kind: names.kind, resource: names.plural, scope };
  try {
    return (await client.list(metadataOf(kind))).items.map(keyOf);
  } catch (error) {
    // Defined, and not served yet or any more; or stored in another version, and nobody converts it.
    if (isNotFound(error) || isInternalError(error)) return undefined;
    throw error;
  }
}

/** Nobody loses objects without having said so. */
export async function requireConsent(
  found: readonly FoundDefinition[],
  server: string,
  { yes = false, output }: Pick<UninstallFlags, 'yes' | 'output'>,
  shell: Shell,
): Promise<void> {
  const present = found.flatMap((each) => each.present ?? []);
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
