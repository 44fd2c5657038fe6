/** What a planned pass looked at, wrote and said. */
import type { EventRecorder, OwnWrite } from '@keelson/client';
import { type Kind, type KubernetesObject, keyOf } from '@keelson/core';
import type { Owned } from '../controller/context.ts';
import {
  idOf,
  isChanged,
  type PlannedChange,
  type PlannedEvent,
  type PlannedObject,
  type PlannedPass,
} from './planned-pass.ts';
import type { AnsweredWrite } from './planning-transport.ts';
import { placeOf } from './request-place.ts';

/** Everything that the passes over one object did, each object once. */
export class PassNotes {
  readonly #writes = new Map<string, AnsweredWrite>();
  readonly #looked = new Map<string, PlannedObject>();
  readonly #events: PlannedEvent[] = [];

  wrote({ path, before, after }: AnsweredWrite): void {
    const earlier = this.#writes.get(path);
    this.#writes.set(path, { path, before: earlier ? earlier.before : before, after });
  }

  look(object: KubernetesObject): void {
    const one = { group: groupIn(object.apiVersion), kind: object.kind, key: keyOf(object) };
    this.#looked.set(idOf(one), one);
  }

  /** The same, and it notes what is applied, whether or not that is a write. */
  owned(owned: Owned): Owned {
    return {
      apply: async (kind, desired, options) => {
        const result = await owned.apply(kind, desired, options);
        this.look(result);
        return result;
      },
      absent: (kind, name) => owned.absent(kind, name),
      only: (kind, names) => owned.only(kind, names),
    };
  }

  recorder(): EventRecorder {
    return {
      event: (_, { type, reason, message }) => void this.#events.push({ type, reason, message }),
      async flush() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  report(): Pick<PlannedPass, 'changes' | 'unchanged' | 'events'> {
    const changes = [...this.#writes.values()].flatMap(changeOf);
    const changed = new Set(changes.map(idOf));
    const unchanged = [...this.#looked].filter(([id]) => !changed.has(id)).map(([, object]) => object);
    return { changes, unchanged, events: this.#events };
  }
}

/** What a planned write means for the caches, whichever way it was made; nothing for a kind that is not watched. */
export function ownWriteOf(kinds: readonly Kind[], { path, before, after }: AnsweredWrite): OwnWrite | undefined {
  const { group, version, resource } = placeOf(path);
  const kind = kinds.find((each) => each.group === group && each.version === version && each.resource === resource);
  if (kind === undefined) return undefined;
  // Caches keep what they get, and change it.
  if (after !== undefined) return { type: 'stored', kind, object: structuredClone(after) };
  return before && { type: 'deleted', kind, key: keyOf(before), uid: before.metadata.uid };
}

function changeOf({ before, after }: AnsweredWrite): readonly PlannedChange[] {
  const object = after ?? before;
  if (object === undefined || !isChanged(before, after)) return [];
  return [
    {
      type: typeOf(before, after),
      group: groupIn(object.apiVersion),
      kind: object.kind,
      key: keyOf(object),
      before,
      after,
    },
  ];
}

function typeOf(before: KubernetesObject | undefined, after: KubernetesObject | undefined): PlannedChange['type'] {
  if (before === undefined) return 'create';
  const isDeleted = (object: KubernetesObject | undefined) => object?.metadata.deletionTimestamp !== undefined;
  return after === undefined || (isDeleted(after) && !isDeleted(before)) ? 'delete' : 'change';
}

const groupIn = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
