/**
 * Takes JSON for what was asked for only if it has that shape, so that what answers in the server's place is an error of
 * our family, here, and not a riddle elsewhere. What the JSON holds is not shown: it may be a Secret.
 */
import { isObject, TransportError } from '@keelson/core';

export interface RawList<T> {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  /** Go writes an empty list as `null`. */
  readonly items: readonly T[] | null;
}

/** Anything with fields: a subresource may answer with something that has no metadata. */
export function fieldsIn<T>(action: string, answer: unknown): T {
  if (!isObject(answer)) throw wrongShape(action, `${nameOf(answer)} and not an object`);
  return answer as T;
}

/** An object of a kind. */
export function objectIn<T>(action: string, answer: unknown): T {
  const { metadata } = fieldsIn<{ readonly metadata?: unknown }>(action, answer);
  if (!isObject(metadata)) throw wrongShape(action, 'an object without metadata');
  return answer as T;
}

/**
 * A list without items is none: taken for an empty one, it would say that everything is gone. An item that lacks
 * something is its own affair (an informer leaves it out and keeps the others), as long as it is an object.
 */
export function listIn<T>(action: string, answer: unknown): RawList<T> {
  const list = objectIn<RawList<T>>(action, answer);
  if (list.items === null) return list;
  if (!Array.isArray(list.items)) throw wrongShape(action, 'an object without items and not a list');
  for (const [i, item] of list.items.entries()) {
    if (!isObject(item)) throw wrongShape(action, `a list in which item ${i} is ${nameOf(item)} and not an object`);
  }
  return list;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function wrongShape(action: string, what: string): TransportError {
  return new TransportError(action, `the answer is ${what}; does a proxy answer in the server's place?`);
}
