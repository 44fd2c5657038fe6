/**
 * Parts of an object that a change left as they were, taken from the state before; and those that did change, copied
 * where others have them, too.
 *
 * Promises: the object is equal to what came. That is garbage at once where it was known, instead of growing old and
 * being collected at a higher price; and whoever remembers something of a part sees by identity that it is the same.
 * Does not: look below the members of the object and of its metadata.
 */
import { equalJson, type KubernetesObject } from '@keelson/core';

/** Puts the equal parts of `previous` into `object`; it and its metadata, though not their parts, are in no other hands. */
export function keepUnchangedParts<T extends KubernetesObject>(object: T, previous: T): void {
  keepEqual(object, previous);
  keepEqual(object.metadata, previous.metadata);
}

function keepEqual(object: object, previous: object): void {
  const now = object as Record<string, unknown>;
  const before = previous as Record<string, unknown>;
  for (const name of Object.keys(now)) {
    const part = before[name];
    if (typeof part !== 'object' || name === 'metadata' || !Object.hasOwn(before, name)) continue;
    if (equalJson(now[name], part)) now[name] = part;
  }
}

/** Copies the parts of `object` that are still those of `came`, which others have, too. */
export function separateParts<T extends KubernetesObject>(object: T, came: T): void {
  copyShared(object, came);
  copyShared(object.metadata, came.metadata);
}

function copyShared(object: object, came: object): void {
  const now = object as Record<string, unknown>;
  const before = came as Record<string, unknown>;
  for (const name of Object.keys(now)) {
    const part = now[name];
    if (typeof part === 'object' && part === before[name]) now[name] = structuredClone(part);
  }
}
