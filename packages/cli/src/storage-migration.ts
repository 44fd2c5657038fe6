/**
 * The storage version migration of one definition: every object is written as it is, so that the API server stores it in
 * the version that the definition names now, and the versions before are taken out of `status.storedVersions`.
 *
 * Promises: the definition remembers from which state on all that is written is stored in that version, so that a
 * migration that was stopped goes on with what was not written since, by whomever; after a change of the definition's
 * spec, it begins anew. `storedVersions` is trimmed only when all were written, and the spec is still the same.
 *
 * In which version an object is stored cannot be asked. A patch that changes nothing has the API server encode it anew,
 * and compare: what is stored in the version already is not written.
 */
import type { Client } from '@keelson/client';
import {
  compareResourceVersions,
  isConflict,
  isNotFound,
  isObject,
  type Kind,
  keyOf,
  metadataOf,
  type ObjectOf,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { CommandError } from './command-error.ts';

/** What became of a definition's objects. */
export interface Migration {
  readonly name: string;
  readonly result: 'migrated' | 'unchanged' | 'absent' | 'failed';
  readonly storageVersion?: string;
  /** As they were before. */
  readonly storedVersions?: readonly string[];
  /** Those that were not written since the migration began. */
  readonly objects?: number;
  /** Those of them that were stored in another version. */
  readonly rewritten?: number;
  readonly failures?: readonly { readonly key: string; readonly message: string }[];
}

export interface MigrationOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

type Definition = ObjectOf<typeof CustomResourceDefinition>;

const annotation = 'migrate.keelson/began';
const atOnce = 8;

export async function migrateDefinition(client: Client, name: string, options: MigrationOptions): Promise<Migration> {
  const { signal } = options;
  const definition = await client.find(CustomResourceDefinition, name, { signal });
  if (definition === undefined) return { name, result: 'absent' };
  const storedVersions = definition.status?.storedVersions ?? [];
  const storageVersion = storageVersionOf(definition);
  const about = { name, storageVersion, storedVersions };
  if (storedVersions.every((each) => each === storageVersion)) {
    if (definition.metadata.annotations?.[annotation] !== undefined) await remember(client, name, null, signal);
    return { ...about, result: 'unchanged' };
  }
  const kind = kindOf(definition);
  const { keys, resourceVersion } = await keysOf(client, kind, beganAt(definition), signal);
  if (beganAt(definition) === undefined) {
    const { generation } = definition.metadata;
    await remember(client, name, JSON.stringify({ storageVersion, generation, resourceVersion }), signal);
  }
  const { rewritten, failures } = await rewrite(client, kind, keys, options);
  const counts = { ...about, objects: keys.length, rewritten };
  if (failures.length > 0) return { ...counts, result: 'failed', failures };
  await trim(client, definition, storageVersion, signal);
  await remember(client, name, null, signal);
  return { ...counts, result: 'migrated' };
}

function storageVersionOf({ metadata, spec }: Definition): string {
  const stored = spec.versions.find(({ storage }) => storage)?.name;
  if (stored === undefined) throw new CommandError(`${metadata.name} stores no version`, 'mend the definition');
  return stored;
}

/** In the storage version, if that is served: then there is the least to convert. */
function kindOf({ metadata, spec: { group, names, scope, versions } }: Definition): Kind {
  const served = versions.filter((each) => each.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version === undefined) {
    throw new CommandError(`${metadata.name} serves no version, so that nothing can be written`, 'serve one');
  }
  return { group, version: version.name, kind: names.kind, resource: names.plural, scope: scope as Kind['scope'] };
}

/**
 * The state since which all that is written is stored in the storage version; undefined for a migration that is new.
 *
 * The storage version may have been another one in between: every change of the spec raises the generation, and what is
 * written here does not.
 */
function beganAt(definition: Definition): string | undefined {
  const text = definition.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const began: unknown = JSON.parse(text);
    if (!isObject(began) || began.storageVersion !== storageVersionOf(definition)) return undefined;
    if (began.generation !== definition.metadata.generation) return undefined;
    return typeof began.resourceVersion === 'string' ? began.resourceVersion : undefined;
  } catch {
    return undefined;
  }
}

interface Position {
  readonly key: string;
  readonly resourceVersion: string;
}

/** What was not written since, and the state in which that was found. */
async function keysOf(
  client: Client,
  kind: Kind,
  since: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly Position[]; readonly resourceVersion: string }> {
  const keys: Position[] = [];
  let resourceVersion = '';
  for await (const page of client.pages(metadataOf(kind), { signal })) {
    resourceVersion = page.resourceVersion;
    for (const object of page.items) {
      const position = { key: keyOf(object), resourceVersion: object.metadata.resourceVersion };
      if (since === undefined || compareResourceVersions(position.resourceVersion, since) <= 0) keys.push(position);
    }
  }
  return { keys, resourceVersion };
}

async function rewrite(
  client: Client,
  kind: Kind,
  keys: readonly Position[],
  { signal, onProgress }: MigrationOptions,
): Promise<Required<Pick<Migration, 'rewritten' | 'failures'>>> {
  const waiting = keys.values();
  const failures: { key: string; message: string }[] = [];
  let [done, rewritten] = [0, 0];
  const work = async () => {
    for (const { key, resourceVersion } of waiting) {
      try {
        const { metadata } = await client.patch(kind, key, {}, { signal });
        if (metadata.resourceVersion !== resourceVersion) rewritten += 1;
      } catch (error) {
        signal.throwIfAborted();
        if (!isNotFound(error)) failures.push({ key, message: error instanceof Error ? error.message : String(error) });
      }
      done += 1;
      onProgress(done, keys.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { rewritten, failures };
}

/**
 * Only while the spec is the one for which all was written: the storage version may have been another one in between,
 * though it is the same again.
 */
async function trim(client: Client, before: Definition, storageVersion: string, signal: AbortSignal): Promise<void> {
  const { name, uid, generation } = before.metadata;
  for (;;) {
    const { metadata, ...definition } = await client.get(CustomResourceDefinition, name, { signal });
    if (metadata.uid !== uid || storageVersionOf({ ...definition, metadata }) !== storageVersion) {
      throw new CommandError(`${name} was changed meanwhile: ${storageVersion} is no longer stored`, 'call again');
    }
    if (metadata.generation !== generation) {
      throw new CommandError(`${name} was changed meanwhile, and may have stored another version`, 'call again');
    }
    const patch = {
      metadata: { resourceVersion: metadata.resourceVersion },
      status: { storedVersions: [storageVersion] },
    };
    try {
      await client.patch(CustomResourceDefinition, name, patch, { subresource: 'status', signal });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error; // somebody else wrote it: an operator its caBundle, perhaps
    }
  }
}

async function remember(client: Client, name: string, began: string | null, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { annotations: { [annotation]: began } } };
  await client.patch(CustomResourceDefinition, name, patch, { signal });
}
