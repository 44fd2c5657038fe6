/**
 * The JSON patch that turns a document into another, such as a webhook answers with.
 *
 * Promises: applied to `before` it gives `after`; members that are equal are not in it, so that what this side cannot read
 * exactly (a whole number above 2^53) stays as it is. A list of another length is replaced whole.
 */
import { equalJson } from './equal-json.ts';
import { isObject } from './json-object.ts';
import type { JsonPatchOperation } from './json-patch.ts';

/** A member that is `undefined` counts as absent. Both must be objects or both lists. */
export function createJsonPatch(before: object, after: object): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  // A list in place of recursion: no depth of nesting is too much.
  const open: { readonly path: string; readonly left: unknown; readonly right: unknown }[] = [
    { path: '', left: before, right: after },
  ];
  for (let next = open.shift(); next; next = open.shift()) {
    const { path, left, right } = next;
    if (isObject(left) && isObject(right)) {
      for (const [name, value] of Object.entries(left)) {
        const at = `${path}/${escapeSegment(name)}`;
        const changed = Object.hasOwn(right, name) ? right[name] : undefined;
        if (value === undefined || changed === value) continue;
        if (changed === undefined) operations.push({ op: 'remove', path: at });
        else open.push({ path: at, left: value, right: changed });
      }
      for (const [name, value] of Object.entries(right)) {
        const isNew = value !== undefined && (!Object.hasOwn(left, name) || left[name] === undefined);
        if (isNew) operations.push({ op: 'add', path: `${path}/${escapeSegment(name)}`, value });
      }
    } else if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
      left.forEach((value, i) => void open.push({ path: `${path}/${i}`, left: value, right: right[i] }));
    } else if (!equalJson(left, right)) {
      operations.push({ op: 'replace', path, value: right });
    }
  }
  return operations;
}

const escapeSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
