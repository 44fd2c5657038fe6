/**
 * `FieldsV1`: field sets as they are kept in managedFields.
 *
 * Promises: encoding what was decoded gives the bytes that the real server writes, members in its order. No
 * depth of nesting is too much.
 */
import type { FieldSet } from './field-set.ts';
import { emptySet, leaf, type PathSet } from './path-set.ts';
import { canonicalStep, sortedSteps } from './step.ts';

/** A set of paths in the form of `managedFields`. */
export function encodeFields(set: PathSet): FieldSet {
  const root: Record<string, FieldSet> = {};
  const open = [{ set, fields: root }];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const step of sortedSteps(next.set.children.keys())) {
      const child = next.set.children.get(step) ?? emptySet;
      const fields: Record<string, FieldSet> = child.member && child.children.size > 0 ? { '.': {} } : {};
      next.fields[step] = fields;
      if (child.children.size > 0) open.push({ set: child, fields });
    }
  }
  return root;
}

/** Throws for what is no field set; kinds of steps that a later version may know are dropped. */
export function decodeFields(fields: unknown): PathSet {
  const root = { member: false, children: new Map<string, PathSet>() };
  const open: { readonly fields: unknown; readonly set: Building }[] = [{ fields, set: root }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { set } = next;
    for (const [text, below] of Object.entries(membersOf(next.fields))) {
      const step = text === '.' ? undefined : canonicalStep(text);
      if (step !== undefined) set.children.set(step, opened(below, open));
      else if (text === '.') set.member = true;
    }
    if (set.children.size === 0) set.member = true;
  }
  return { member: false, children: root.children };
}

interface Building {
  member: boolean;
  readonly children: Map<string, PathSet>;
}

/** The set of what lies below a step: nothing, mostly; else it is filled later. */
function opened(fields: unknown, open: { readonly fields: unknown; readonly set: Building }[]): PathSet {
  if (Object.keys(membersOf(fields)).length === 0) return leaf;
  const set = { member: false, children: new Map<string, PathSet>() };
  open.push({ fields, set });
  return set;
}

function membersOf(fields: unknown): object {
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) throw new SyntaxError('not an object');
  return fields;
}
