/** The objects that a reconciled object controls: made to be as described, or not to be. */
import type { Client, EventRecorder } from '@keelson/client';
import {
  apiVersionOf,
  assertMayOwn,
  controllerOf,
  controllerReference,
  type InputOf,
  isConflict,
  isControlledBy,
  isNotFound,
  isSameKind,
  type Kind,
  type KubernetesObject,
  keyOf,
  type Labels,
  matchesLabels,
  NotControlledError,
  type ObjectOf,
  type Own,
  printLabelSelector,
  requirementsOf,
} from '@keelson/core';
import type { Caches } from '../cache/caches.ts';
import type { ApplyOwnedOptions, Owned } from '../controller/context.ts';
import type { Logger } from '../log/logger.ts';
import type { Storms } from '../storms/storms.ts';
import { withoutSharedFields } from './foreign-items.ts';
import type { NoOpApplies } from './no-op-apply.ts';
import { printTaken, takeOver } from './take-over.ts';

export interface OwnedOptions {
  readonly client: Client;
  readonly caches: Caches;
  readonly applied: NoOpApplies;
  readonly logger: Logger;
  readonly ownerKind: Kind;
  readonly owner: KubernetesObject;
  /** The kinds that are declared, and which objects of them are cached. */
  readonly owns: readonly Own[];
  readonly storms: Storms;
  readonly recorder: EventRecorder;
}

/**
 * No object has this resourceVersion: etcd counts its own beginning as the first. An apply that names it makes what does
 * not exist, and is a conflict where anything does, so nobody's object is taken over that the watch has not shown yet.
 */
const ofNoObject = '1';

/** For a kind that is not declared. */
const toRemove = ({ kind }: Kind) => `add removable(${kind}) to owns`;

interface Place {
  readonly name: string;
  readonly namespace?: string;
}

/** `owned` of one reconcile. It is untyped here; the declaration types it where a controller is defined. */
export function createOwned(options: OwnedOptions): Owned {
  const { client, caches, applied, logger, ownerKind, owner, owns, storms, recorder } = options;
  const placeOf = (kind: Kind, namespace: string | undefined, name: string) => {
    const place = kind.scope === 'Namespaced' ? (namespace ?? owner.metadata.namespace) : undefined;
    assertMayOwn(owner, place, `${kind.kind} ${name}`);
    return { name, ...(place !== undefined && { namespace: place }) };
  };
  /** What the selection leaves out is not in the cache: a change of it would be seen by nobody. */
  const assertSelected = (kind: Kind, labels: Labels | undefined, key: string) => {
    const selected = owns.find((each) => isSameKind(each.own, kind))?.labels;
    if (selected === undefined || matchesLabels(requirementsOf(selected), labels)) return;
    const selector = printLabelSelector(requirementsOf(selected));
    throw new TypeError(`owned.apply: ${kind.kind} ${key} needs the labels by which it is owned: ${selector}`);
  };
  const subjectOf = (kind: Kind, { namespace, name }: Place) => ({
    [`${kind.kind}.Namespace`]: namespace,
    [`${kind.kind}.Name`]: name,
  });
  /** What `desired` asks for, in its place and with its owner. */
  const describe = <K extends Kind>(kind: K, desired: InputOf<K>, place: Place, existing?: KubernetesObject) => {
    const { metadata } = desired;
    return {
      ...desired,
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        ...metadata,
        ...place,
        ownerReferences: [...(metadata.ownerReferences ?? []), controllerReference(ownerKind, owner, existing)],
        // Should someone have put another object in its place, the server answers with a conflict.
        ...(existing !== undefined && { uid: existing.metadata.uid }),
      },
    };
  };
  /** A conflict means that there is one, which the watch has not shown yet. */
  const make = async <K extends Kind>(kind: K, desired: InputOf<K>, place: Place): Promise<ObjectOf<K>> => {
    const wanted = describe(kind, desired, place);
    const target = `${kind.kind} ${keyOf(wanted)}`;
    const askManagers = async () => [];
    const write = { target, wanted: desired, isDescription: true, live: undefined, fields: () => [], askManagers };
    const unmade = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: ofNoObject } };
    const result = await client.apply(kind, unmade as InputOf<K>, { force: true });
    // Only now: where there is one, nothing was written, and what is done about that one is counted for itself.
    await storms.beforeWrite(keyOf(owner), write);
    logger.info(`Creating a new ${kind.kind}`, subjectOf(kind, place));
    applied.remember(result, wanted);
    storms.written(keyOf(owner), target, desired, result);
    return result;
  };

  const owned: Owned = {
    async apply<K extends Kind>(kind: K, desired: InputOf<K>, { adopt = false, shared = [] }: ApplyOwnedOptions = {}) {
      const { metadata } = desired;
      if (!metadata.name)
        throw new TypeError(`owned.apply: ${kind.kind} needs metadata.name; a generated name cannot be applied`);
      const place = placeOf(kind, metadata.namespace, metadata.name);
      const key = keyOf({ metadata: place });
      assertSelected(kind, metadata.labels, key);
      const store = caches.store(kind, 'add it to owns');
      let existing = store.get(key);
      if (existing === undefined) {
        try {
          return await make(kind, desired, place);
        } catch (error) {
          existing = isConflict(error) ? await client.find(kind, key) : undefined;
          if (existing === undefined) throw error;
        }
      }
      const mayAdopt = adopt && controllerOf(existing) === undefined;
      if (!isControlledBy(existing, owner) && !mayAdopt) {
        throw new NotControlledError(existing, { kind: ownerKind.kind, key: keyOf(owner) });
      }
      // Nothing can be changed about its going; its deletion wakes us, and then it is made again.
      if (existing.metadata.deletionTimestamp !== undefined) return existing;
      const described = describe(kind, desired, place, existing);
      const wanted = withoutSharedFields(described, existing, applied.fieldsOf(existing), shared);
      if (applied.isSettled(existing, wanted, shared)) return existing;
      const taken = await takeOver({ client, applied, kind, existing, wanted, shared });
      if (taken.length === 0 && applied.wouldChangeNothing(existing, wanted)) {
        // Of what the cache no longer has, or never had, nobody would hear that it is gone.
        if (store.get(key) === existing) applied.settle(existing, wanted, shared);
        return existing;
      }
      const subject = subjectOf(kind, place);
      logger.info(`Updating ${kind.kind}`, subject);
      const target = `${kind.kind} ${key}`;
      const fields = () => applied.differences(existing, wanted);
      await storms.beforeWrite(keyOf(owner), {
        target,
        wanted: desired,
        isDescription: true,
        live: existing,
        fields: () => (taken.length > 0 ? taken.map(({ path }) => [path]) : fields()),
        async askManagers() {
          if (taken.length > 0) return [...new Set(taken.map(({ manager }) => manager))];
          const live = await client.find(kind, key);
          return live === undefined ? [] : applied.othersAt(live, fields());
        },
      });
      const result = await client.apply(kind, wanted as InputOf<K>, { force: true });
      applied.remember(result, wanted);
      storms.written(keyOf(owner), target, desired, result);
      if (taken.length > 0) {
        const message = `${printTaken(taken)} to ${target}, which this operator describes; removed`;
        logger.info('Foreign items were removed', { ...subject, items: taken.map(({ path }) => path), message });
        recorder.event(owner, { type: 'Warning', reason: 'ForeignItemsRemoved', message });
      }
      return result;
    },

    async only(kind: Kind, names: readonly string[]) {
      const { namespace } = placeOf(kind, undefined, 'only');
      const present = caches.store(kind, toRemove(kind)).list({ namespace });
      for (const { metadata } of present) if (!names.includes(metadata.name)) await owned.absent(kind, metadata.name);
    },

    async absent(kind: Kind, name: string) {
      const place = placeOf(kind, undefined, name);
      const key = keyOf({ metadata: place });
      const existing = caches.store(kind, toRemove(kind)).get(key);
      if (existing === undefined || existing.metadata.deletionTimestamp !== undefined) return;
      if (!isControlledBy(existing, owner)) return;
      logger.info(`Deleting the ${kind.kind}`, subjectOf(kind, place));
      const { uid } = existing.metadata;
      try {
        await client.delete(kind, key, { preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
  return owned;
}
