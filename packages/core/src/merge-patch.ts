/**
 * JSON merge patch (RFC 7396): apply one, and make the one that turns a document into another.
 *
 * Promises: inputs are never changed, and what a patch does not touch is shared with the result, so that an unchanged
 * document comes back as the same value. A merge patch cannot set a member to null, or change one item of a list.
 */
import { equalJson } from './equal-json.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { type Part, workOut } from './work-out.ts';

/** What a merge patch (RFC 7386) makes of a value; neither is changed. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch) || !isObject(document)) return replaced(document, patch);
  return workOut(new Merge(document, patch));
}

/** What takes the place of a value that is not patched member by member. */
function replaced(document: unknown, patch: unknown): unknown {
  const replacement = isObject(document) ? patch : withoutNulls(patch);
  return equalJson(document, replacement) ? document : replacement;
}

/** One object under a patch. */
class Merge implements Part<unknown> {
  readonly #document: JsonObject;
  readonly #changes: Iterator<[string, unknown], undefined>;
  readonly #changed = new Map<string, unknown>();
  #name = '';

  constructor(document: JsonObject, patch: JsonObject) {
    this.#document = document;
    this.#changes = Object.entries(patch)[Symbol.iterator]() as Iterator<[string, unknown], undefined>;
  }

  next(): Merge | undefined {
    for (let next = this.#changes.next(); !next.done; next = this.#changes.next()) {
      const [name, change] = next.value;
      this.#name = name;
      const before = this.#has(name) ? this.#document[name] : undefined;
      if (isObject(change) && isObject(before)) return new Merge(before, change);
      this.take(change === null ? undefined : replaced(before ?? undefined, change));
    }
    return undefined;
  }

  take(after: unknown): void {
    const has = this.#has(this.#name);
    const before = has ? this.#document[this.#name] : undefined;
    if (after !== before || (after === undefined && has)) this.#changed.set(this.#name, after);
  }

  result(): unknown {
    return this.#changed.size === 0 ? this.#document : withMembers(this.#document, this.#changed);
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#document, name);
  }
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
  const root: unknown[] = [];
  const open: { readonly from: unknown; readonly put: (value: unknown) => void }[] = [
    { from: patch, put: (value) => root.push(value) },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { from, put } = next;
    if (isArray(from)) {
      const items: unknown[] = new Array(from.length);
      put(items);
      for (const [i, item] of from.entries()) {
        const putItem = (value: unknown) => {
          items[i] = value;
        };
        open.push({ from: item, put: putItem });
      }
    } else if (isObject(from)) {
      // Each member has its place before it has its value.
      const members = Object.fromEntries(Object.entries(from).filter(([, value]) => value !== null));
      put(members);
      for (const [name, member] of Object.entries(members)) {
        if (typeof member !== 'object') continue;
        open.push({ from: member, put: (value) => setMember(members, name, value) });
      }
    } else put(from);
  }
  return root[0];
}

/** Assigning `__proto__` would change the object's prototype instead of its members. */
function setMember(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

/** JsonObject keep their place, and new ones come last; fromEntries, because assigning `__proto__` sets no member. */
function withMembers(document: JsonObject, changes: ReadonlyMap<string, unknown>): unknown {
  const members = new Map(Object.entries(document));
  for (const [name, value] of changes) {
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  return Object.fromEntries(members);
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
