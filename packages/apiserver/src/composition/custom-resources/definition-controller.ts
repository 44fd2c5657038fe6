/**
 * What the API server does with definitions by itself: accepts their names, serves their resources, and when one is
 * deleted, deletes its objects first.
 *
 * Works inside the write that it reacts to, so that a definition is served as soon as its creation is answered.
 */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../../apply/index.ts';
import { type ApiObject, type JsonObject, withMetadata } from '../../object.ts';
import type { Resource } from '../../resource/resource.ts';
import { ownManager, ownWrite } from '../../resource/write.ts';
import type { Revision } from '../../store/revision.ts';
import type { Context } from '../../verbs/context.ts';
import { deleteNow } from '../../write/delete.ts';
import { type ConversionContext, converterOf } from './conversion-webhook.ts';
import { customResources, storedResource } from './custom-resource.ts';
import {
  asDefinition,
  type ConditionChange,
  cleanupFinalizer,
  collectionName,
  type Definition,
  isConditionTrue,
  withCondition,
} from './definition.ts';

export function runDefinitions(context: Context, conversion: ConversionContext): void {
  const { store } = context;
  const resources = new WeakMap<Revision, readonly Resource[]>();
  /** Compiled once for each stored state of a definition. */
  const resourcesOf = (revision: Revision): readonly Resource[] => {
    let found = resources.get(revision);
    if (found === undefined) {
      const definition = asDefinition(revision.object);
      found = customResources(definition, converterOf(conversion, definition));
      resources.set(revision, found);
    }
    return found;
  };
  const definitions = store.collection(collectionName);
  store.listen((collection, { type, revision }) => {
    if (collection === definitions) {
      serve(context, resourcesOf);
      if (type === 'DELETED') {
        const { spec } = asDefinition(revision.object);
        context.fanOut.closeAll(`${spec.names.plural}.${spec.group}`);
        // Names that it held may be what others wait for.
        for (const other of definitions.list()) accept(context, other);
        return;
      }
      const current = definitions.get(revision.key);
      if (current === undefined) return;
      if (current.object.metadata.deletionTimestamp) finish(context, current);
      else accept(context, current);
    } else if (type === 'DELETED') {
      const owner = definitions.get(collection.name);
      if (owner?.object.metadata.deletionTimestamp) finish(context, owner);
    }
  });
}

/** Puts exactly the established definitions on the map. */
function serve({ store, registry }: Context, resourcesOf: (revision: Revision) => readonly Resource[]): void {
  const established = store
    .collection(collectionName)
    .list()
    .filter(({ object }) => isConditionTrue(asDefinition(object), 'Established'));
  registry.serve(established.flatMap(resourcesOf));
}

/** Names must be free in their group: as plural, singular, short name, kind and list kind. */
function namesAccepted({ store, registry }: Context, { metadata, spec }: Definition): ConditionChange {
  const { plural, singular = '', shortNames = [], kind, listKind = '' } = spec.names;
  const others = store
    .collection(collectionName)
    .list()
    .map(({ object }) => asDefinition(object))
    .filter((other) => other.spec.group === spec.group && other.metadata.name !== metadata.name)
    .map(({ status }) => status?.acceptedNames);
  const taken = new Set(
    others.flatMap((names) => [names?.plural, names?.singular, ...(names?.shortNames ?? [])]).filter(Boolean),
  );
  const kinds = new Set(others.flatMap((names) => [names?.kind, names?.listKind]).filter(Boolean));
  const inUse = (reason: string, name: string): ConditionChange => ({
    type: 'NamesAccepted',
    status: 'False',
    reason,
    message: `${JSON.stringify(name)} is already in use`,
  });
  const conflicts = [
    ...(registry.isBuiltIn(spec.group) || taken.has(plural) ? [inUse('PluralConflict', plural)] : []),
    ...(taken.has(singular) ? [inUse('SingularConflict', singular)] : []),
    ...shortNames.filter((short) => taken.has(short)).map((short) => inUse('ShortNamesConflict', short)),
    ...(kinds.has(kind) ? [inUse('KindConflict', kind)] : []),
    ...(kinds.has(listKind) ? [inUse('ListKindConflict', listKind)] : []),
  ];
  // Of several the last one is told.
  const last = conflicts.at(-1);
  if (last !== undefined) return last;
  return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
}

/** Two writes, as on the real server: the names are accepted, then the resource is established. */
function accept(context: Context, existing: Revision): void {
  const definition = asDefinition(existing.object);
  if (definition.metadata.deletionTimestamp) return;
  const accepted = namesAccepted(context, definition);
  const isAccepted = accepted.status === 'True';
  const wasEstablished = isConditionTrue(definition, 'Established');
  const names = isAccepted ? definition.spec.names : (definition.status?.acceptedNames ?? { plural: '', kind: '' });
  const now = timestamp(context.clock.now());
  const type = 'Established';
  const initial = { reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };
  const done: ConditionChange = { type, status: 'True', ...initial };
  const established: ConditionChange = wasEstablished
    ? done
    : isAccepted
      ? { type, status: 'False', reason: 'Installing', message: initial.message }
      : { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const judged = withCondition(withCondition(existing.object, now, accepted), now, established);
  const written = write(context, existing, {
    ...judged,
    status: { ...(judged.status as JsonObject), acceptedNames: names },
  });
  if (!isAccepted || wasEstablished) return;
  // What was before the first of its objects cannot be watched.
  context.store.begin(existing.key);
  write(context, written, withCondition(written.object, now, done));
}

/** The server's own writes are owned like any other. */
function write(context: Context, existing: Revision, object: ApiObject): Revision {
  const { store, registry } = context;
  const resource = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (resource === undefined) throw new Error('definitions are not served');
  const before = existing.object.status as JsonObject | undefined;
  const after = object.status as JsonObject | undefined;
  if (JSON.stringify(before) === JSON.stringify(after)) return existing;
  const owned = updateManagedFields({
    type: resource.strategy.objectType('status'),
    before: existing.object,
    after: object,
    manager: ownManager,
    subresource: 'status',
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  return store.update(store.collection(collectionName), existing, owned);
}

/** Deletes the objects of a definition that is going, and the definition after the last of them. */
function finish(context: Context, existing: Revision): void {
  const { store } = context;
  const definition = asDefinition(existing.object);
  if (!(definition.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
  const objects = store.collection(existing.key);
  const resource = storedResource(definition);
  if (resource !== undefined) {
    for (const each of objects.list()) if (!each.object.metadata.deletionTimestamp) remove(context, resource, each);
  }
  if (objects.size > 0) return;
  const current = store.collection(collectionName).get(existing.key);
  if (current === undefined) return;
  const finalizers = (current.object.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
  if (finalizers.length > 0) {
    store.update(store.collection(collectionName), current, withMetadata(current.object, { finalizers }));
  } else store.delete(store.collection(collectionName), current);
}

/** By the rules of its kind, as if an administrator had asked for it; admitters are not, as on the real server. */
function remove(context: Context, resource: Resource, existing: Revision): void {
  const write = ownWrite({ verb: 'delete', resource, subresource: '' }, existing.object.metadata);
  deleteNow(context, write, existing, {
    gracePeriodSeconds: undefined,
    propagation: undefined,
    orphanDependents: undefined,
    preconditions: {},
  });
}
