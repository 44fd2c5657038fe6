/**
 * What a new object has in common with another of its kind, held once: objects that one controller has made differ in a
 * few names and times.
 *
 * Promises: the object is equal to what it was, though members may come in another order, and the other is left as it is.
 * Does not: search (it compares with one other object, place by place), or freeze what both have then: where some
 * objects are frozen and some are not, V8 has two shapes for everything, which took a tenth more CPU in all.
 */
import type { KubernetesObject } from '@keelson/core';

/** Deeper than any kind goes by itself; a part that goes deeper, as one that may hold anything can, stays its own. */
const maxDepth = 50;
/** Each object has its own metadata; sets of fields may be in many hands, and frozen. */
const leftAlone = new Set(['metadata', 'managedFields']);

/** Puts the parts of `other` in the place of equal ones. But for managedFields, `object` is in no other hands. */
export function takeCommonParts<T extends KubernetesObject>(object: T, other: T): void {
  takeMembers(object, other);
  takeMembers(object.metadata, other.metadata);
}

function takeMembers(object: object, other: object): void {
  const ours = object as Record<string, unknown>;
  const theirs = other as Record<string, unknown>;
  for (const name of Object.keys(ours)) {
    if (!leftAlone.has(name) && Object.hasOwn(theirs, name)) ours[name] = commonOr(ours[name], theirs[name], 0);
  }
}

/** The part of the other where both are equal; else our own, in which that holds for every part. */
function commonOr(part: unknown, other: unknown, depth: number): unknown {
  if (part === other) return other; // of equal texts, theirs
  if (typeof part !== 'object' || typeof other !== 'object' || part === null || other === null) return part;
  if (Array.isArray(part) !== Array.isArray(other) || depth === maxDepth) return part;
  const ours = part as Record<string, unknown>;
  const theirs = other as Record<string, unknown>;
  const names = Object.keys(ours);
  let isEqual = names.length === Object.keys(theirs).length;
  for (const name of names) {
    if (!Object.hasOwn(theirs, name)) {
      isEqual = false;
      continue;
    }
    const common = commonOr(ours[name], theirs[name], depth + 1);
    if (common === theirs[name]) ours[name] = common;
    else isEqual = false;
  }
  return isEqual ? other : part;
}
