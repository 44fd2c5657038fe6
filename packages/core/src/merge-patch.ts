/**
 * JSON merge patch (RFC 7396): apply one, and make the one that turns a document into another.
 *
 * Promises: inputs are never changed, and what a patch does not touch is shared with the result, so that an unchanged
 * document comes back as the same value. A merge patch cannot set a member to null, or change one item of a list.
 */
import { equalJson } from './equal-json.ts';

type Members = Readonly<Record<string, unknown>>;

export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch) || !isObject(document)) {
    const replacement = isObject(document) ? patch : withoutNulls(patch);
    return equalJson(document, replacement) ? document : replacement;
  }
  const changes = new Map<string, unknown>();
  for (const [name, change] of Object.entries(patch)) {
    const before = Object.hasOwn(document, name) ? document[name] : undefined;
    const after = change === null ? undefined : applyMergePatch(before ?? undefined, change);
    if (after !== before || (after === undefined && Object.hasOwn(document, name))) changes.set(name, after);
  }
  return changes.size === 0 ? document : withMembers(document, changes);
}

/** The smallest merge patch that turns `before` into `after`; `{}` when they are equal. */
export function createMergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const patch: [string, unknown][] = [];
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name) || after[name] === undefined) patch.push([name, null]);
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const previous = Object.hasOwn(before, name) ? before[name] : undefined;
    if (!equalJson(previous, value)) patch.push([name, createMergePatch(previous, value)]);
  }
  return Object.fromEntries(patch);
}

/**
 * A patch's nulls mean absent, also in the parts that are new. The server drops them from the items of lists as well,
 * unless the list replaces an object.
 */
function withoutNulls(patch: unknown): unknown {
  if (isArray(patch)) return patch.map((item) => withoutNulls(item));
  if (!isObject(patch)) return patch;
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, withoutNulls(value)]),
  );
}

/** Members keep their place, and new ones come last; fromEntries, because assigning `__proto__` sets no member. */
function withMembers(document: Members, changes: ReadonlyMap<string, unknown>): unknown {
  const members = new Map(Object.entries(document));
  for (const [name, value] of changes) {
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
