/**
 * JSON patch (RFC 6902), with the deviations of the Go library that Kubernetes uses.
 *
 * Promises: the document and the patch are never changed, and what no operation touches is shared with the result; all
 * operations apply, or none. Unlike the RFC, as the real server: an index may be negative (counted from the end, `-1`
 * adds at the end), `replace` and `copy` accept a missing member of an object, `test` takes absent for null, the first
 * segment of a path is dropped even when it is not empty, and only `replace` and `test` accept the whole document.
 * Not as there: its `test` compares JSON texts, so that a string with `<`, `>` or `&` in it equals itself only if the
 * patch has it escaped, and a list with null in it breaks the connection. Here values are compared.
 * What does not apply is told in that library's words, which reach users where an admitter's patch fails.
 *
 * A patch of a few lines could double a document again and again, or move a long list for each of ten thousand items, so
 * there are bounds: on operations and on copied bytes as the real server has them, and on items that are moved.
 */

import { equalJson } from './equal-json.ts';
import { OperatorError } from './errors.ts';
import { quoted } from './names.ts';

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: unknown;
}

/** Limits of what a patch may cost. */
export interface JsonPatchOptions {
  /** A longer patch is refused. @default 10_000, as the API server's */
  readonly maxOperations?: number;
  /** More than this, as JSON text, is not copied by all `copy` operations together. @default 3 MiB, as the API server's */
  readonly maxCopiedBytes?: number;
}

/** What adding to and removing from lists may move, in all: some tenths of a second. No honest patch does. */
const maxMovedItems = 256 * 1024 * 1024;

/** Characters of an error. */
const maxMessage = 4000;

/**
 * `Malformed` is no patch at all (HTTP 400), `TooLarge` has too many operations (413), `Failed` does not fit, or copies
 * too much (422), and in `TestFailed` a test has found another value (422).
 */
export type JsonPatchFailure = 'Malformed' | 'TooLarge' | 'Failed' | 'TestFailed';

/** The patch cannot be applied; `reason` says in which way. */
export class JsonPatchError extends OperatorError {
  override readonly name = 'JsonPatchError';
  readonly code = 'ERR_JSON_PATCH';
  readonly reason: JsonPatchFailure;

  constructor(reason: JsonPatchFailure, message: string) {
    // A path may be as long as a request.
    super(message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message);
    this.reason = reason;
  }
}

type Container = unknown[] | Record<string, unknown>;

/** `patch` is checked, so that a body can be passed as it was parsed; `null` is the empty patch. */
export function applyJsonPatch(document: unknown, patch: unknown, options: JsonPatchOptions = {}): unknown {
  const { maxOperations = 10_000, maxCopiedBytes = 3 * 1024 * 1024 } = options;
  const operations = checked(patch);
  if (operations.length > maxOperations) {
    throw new JsonPatchError(
      'TooLarge',
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const draft = new Draft(document, maxCopiedBytes);
  for (const operation of operations) applyOperation(draft, operation);
  return draft.root;
}

function applyOperation(draft: Draft, operation: Partial<JsonPatchOperation>): void {
  const { op, value = null } = operation;
  switch (op) {
    case 'add':
      add(draft, pathOf(operation), value, words.add);
      break;
    case 'remove':
      remove(draft, pathOf(operation), words.remove);
      break;
    case 'replace':
      replace(draft, pathOf(operation), value);
      break;
    case 'move': {
      const from = fromOf(operation);
      const moved = read(draft, from, words.moveFrom);
      remove(draft, from, words.moveFrom);
      add(draft, pathOf(operation), moved, words.move);
      break;
    }
    case 'copy': {
      const copied = read(draft, fromOf(operation), words.copyFrom);
      const path = pathOf(operation);
      if (draft.find(path, false) === undefined) throw failed(words.copy.missing(path));
      add(draft, path, draft.copyOf(copied), words.copy);
      break;
    }
    case 'test': {
      const path = pathOf(operation);
      if (!equalJson(path === '' ? draft.root : read(draft, path, words.test), value)) {
        throw new JsonPatchError('TestFailed', `testing value ${path} failed: test failed`);
      }
      break;
    }
    default:
      throw failed(`Unexpected kind: ${op ?? 'unknown'}`);
  }
}

/** What is said when there is no such place, and when a place in an object or a list does not do. */
interface Words {
  readonly missing: (path: string) => string;
  readonly misfit: (path: string, key: string, why: string) => string;
}

const missing = (operation: string, what: string) => (path: string) =>
  `${operation} operation does not apply: ${what}: ${path}: missing value`;
const inPath = (operation: string) => (path: string, _key: string, why: string) =>
  `error in ${operation} for path: '${path}': ${why}`;
const inMove = (_path: string, key: string, why: string) => `error in move for path: '${key}': ${why}`;
const missingQuoted = (operation: string) => (path: string) => missing(operation, 'doc is missing path')(`"${path}"`);

const words = {
  add: { missing: missingQuoted('add'), misfit: inPath('add') },
  remove: { missing: missingQuoted('remove'), misfit: inPath('remove') },
  replace: {
    missing: missing('replace', 'doc is missing path'),
    misfit: (path: string) => missing('replace', 'doc is missing key')(path),
  },
  moveFrom: { missing: missing('move', 'doc is missing from path'), misfit: inMove },
  move: { missing: missing('move', 'doc is missing destination path'), misfit: inPath('move') },
  copyFrom: {
    missing: missing('copy', 'doc is missing from path'),
    misfit: (path: string, _key: string, why: string) => `error in copy for from: '${path}': ${why}`,
  },
  copy: {
    missing: missing('copy', 'doc is missing destination path'),
    misfit: (_path: string, _key: string, why: string) => `error while adding value during copy: ${why}`,
  },
  test: { missing: missing('test', 'is missing path'), misfit: inPath('test') },
} as const satisfies Record<string, Words>;

/** The value being patched; a container is copied before the first write to it. No part of it is in two places. */
class Draft {
  root: unknown;
  readonly #own = new Set<Container>();
  readonly #maxCopiedBytes: number;
  #copiedBytes = 0;
  #movedItems = 0;

  constructor(document: unknown, maxCopiedBytes: number) {
    this.root = document;
    this.#maxCopiedBytes = maxCopiedBytes;
  }

  /** The parent of the path's last segment and that segment; `undefined` where there is no such container. */
  find(path: string, forWriting: boolean): { readonly parent: Container; readonly key: string } | undefined {
    const segments = path.split('/').slice(1).map(unescapeSegment);
    const key = segments.pop();
    if (key === undefined || !isContainer(this.root)) return undefined;
    if (forWriting) this.root = this.#writable(this.root);
    let parent = this.root as Container;
    for (const segment of segments) {
      const child = memberOf(parent, segment);
      if (!isContainer(child)) return undefined;
      const next = forWriting ? this.#writable(child) : child;
      if (next !== child) setMember(parent, segment, next);
      parent = next;
    }
    return { parent, key };
  }

  /** A value of the document once more. */
  copyOf(value: unknown): unknown {
    const { copy, bytes } = deepCopy(value);
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > this.#maxCopiedBytes) {
      throw new JsonPatchError(
        'Failed',
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${this.#maxCopiedBytes}`,
      );
    }
    return copy;
  }

  /** Puts items into a list, or takes them out; what comes behind moves. */
  splice(items: unknown[], index: number, removed: number, ...added: readonly unknown[]): void {
    this.#movedItems += items.length - index;
    if (this.#movedItems > maxMovedItems) {
      throw new JsonPatchError('TooLarge', 'the operations of this JSON patch on long lists are too many');
    }
    items.splice(index, removed, ...added);
  }

  #writable(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }
}

function read(draft: Draft, path: string, say: Words): unknown {
  const found = draft.find(path, false);
  if (found === undefined) throw failed(say.missing(path));
  const { parent, key } = found;
  if (!Array.isArray(parent)) return memberOf(parent, key) ?? null;
  return parent[existingIndex(path, parent, key, say)];
}

function add(draft: Draft, path: string, value: unknown, say: Words): void {
  const found = draft.find(path, true);
  if (found === undefined) throw failed(say.missing(path));
  const { parent, key } = found;
  if (Array.isArray(parent)) {
    const index = key === '-' ? parent.length : indexOf(key, parent.length + 1);
    if (index === undefined) {
      const why = isNumber(key) ? '' : `value was not a proper array index: '${key}': `;
      throw failed(say.misfit(path, key, `${why}${indexProblem(key)}`));
    }
    draft.splice(parent, index, 0, value);
  } else {
    setMember(parent, key, value);
  }
}

function remove(draft: Draft, path: string, say: Words): void {
  const found = draft.find(path, true);
  if (found === undefined) throw failed(say.missing(path));
  const { parent, key } = found;
  if (Array.isArray(parent)) {
    draft.splice(parent, existingIndex(path, parent, key, say), 1);
  } else {
    if (!Object.hasOwn(parent, key)) {
      throw failed(say.misfit(path, key, `Unable to remove nonexistent key: ${key}: missing value`));
    }
    delete parent[key];
  }
}

function replace(draft: Draft, path: string, value: unknown): void {
  if (path === '') {
    if (!isContainer(value)) throw failed('replace operation value must be object or array');
    draft.root = value;
    return;
  }
  const found = draft.find(path, true);
  if (found === undefined) throw failed(words.replace.missing(path));
  const { parent, key } = found;
  if (Array.isArray(parent)) parent[existingIndex(path, parent, key, words.replace)] = value;
  else setMember(parent, key, value);
}

function existingIndex(path: string, items: readonly unknown[], key: string, say: Words): number {
  const index = indexOf(key, items.length);
  if (index === undefined) throw failed(say.misfit(path, key, indexProblem(key)));
  return index;
}

const isNumber = (key: string): boolean => /^[+-]?\d+$/.test(key);

function indexProblem(key: string): string {
  return isNumber(key)
    ? `Unable to access invalid index: ${Number(key)}: invalid index referenced`
    : `strconv.Atoi: parsing ${quoted(key)}: invalid syntax`;
}

/** Go's Atoi reads signs and leading zeros. */
function indexOf(key: string, length: number): number | undefined {
  if (!isNumber(key)) return undefined;
  const number = Number(key);
  if (number >= length || number < -length) return undefined;
  return number < 0 ? number + length : number;
}

function memberOf(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = indexOf(key, container.length);
  return index === undefined ? undefined : container[index];
}

/** Assigning `__proto__` would change the object's prototype instead of its members. */
function setMember(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container)) container[indexOf(key, container.length) ?? container.length] = value;
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

function unescapeSegment(segment: string): string {
  return segment.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'));
}

/** A copy, and how long it is as JSON. */
function deepCopy(value: unknown): { readonly copy: unknown; readonly bytes: number } {
  const root: [unknown] = [undefined];
  const open: { readonly from: unknown; readonly to: Container; readonly key: string }[] = [
    { from: value, to: root, key: '0' },
  ];
  let bytes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { from, to, key } = next;
    if (!isContainer(from)) {
      bytes += byteLength(JSON.stringify(from ?? null));
      setMember(to, key, from);
      continue;
    }
    const copy: Container = Array.isArray(from) ? new Array(from.length) : {};
    setMember(to, key, copy);
    const names = Object.keys(from);
    bytes += 2 + Math.max(0, names.length - 1); // brackets and commas
    for (const name of names.reverse()) {
      if (!Array.isArray(from)) bytes += byteLength(JSON.stringify(name)) + 1;
      open.push({ from: (from as Record<string, unknown>)[name], to: copy, key: name });
    }
  }
  return { copy: root[0], bytes };
}

/** In UTF-8. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function pathOf({ op, path }: Partial<JsonPatchOperation>): string {
  if (path !== undefined) return path;
  const why = op === 'replace' || op === 'move' || op === 'test' ? 'operation missing path field: ' : '';
  throw failed(`${op} operation failed to decode path: ${why}missing value`);
}

function fromOf({ op, from }: Partial<JsonPatchOperation>): string {
  if (from !== undefined) return from;
  throw failed(`${op} operation failed to decode from: operation, missing from field: missing value`);
}

const failed = (message: string): JsonPatchError => new JsonPatchError('Failed', message);

function checked(patch: unknown): Partial<JsonPatchOperation>[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw new JsonPatchError('Malformed', 'a JSON patch is a list of operations');
  for (const [index, operation] of patch.entries()) {
    if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
      throw new JsonPatchError('Malformed', `operation ${index} is not an object`);
    }
    for (const name of ['op', 'path', 'from']) {
      const value: unknown = operation[name];
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw new JsonPatchError('Malformed', `${name} of operation ${index} is not a string`);
      }
    }
  }
  return patch.map(withoutNulls);
}

/** `"path": null` is an absent path; a value of null is a value. */
function withoutNulls(operation: Record<string, unknown>): Partial<JsonPatchOperation> {
  return Object.fromEntries(Object.entries(operation).filter(([name, value]) => name === 'value' || value !== null));
}
