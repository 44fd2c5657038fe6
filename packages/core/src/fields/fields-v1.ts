/**
 * `FieldsV1`: field sets as they are kept in managedFields.
 *
 * Promises: encoding what was decoded gives the bytes that the real server writes, members in its order.
 */
import type { FieldSet } from './field-set.ts';
import { emptySet, leaf, type PathSet } from './path-set.ts';
import { canonicalStep, sortedSteps } from './step.ts';

export function encodeFields(set: PathSet): FieldSet {
  const fields: Record<string, FieldSet> = {};
  for (const step of sortedSteps(set.children.keys())) {
    const child = set.children.get(step) ?? emptySet;
    const below = encodeFields(child);
    fields[step] = child.member && child.children.size > 0 ? { '.': {}, ...below } : below;
  }
  return fields;
}

/** Throws for what is no field set; kinds of steps that a later version may know are dropped. */
export function decodeFields(fields: unknown): PathSet {
  return { member: false, children: decode(fields).children };
}

function decode(fields: unknown): PathSet {
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) throw new SyntaxError('not an object');
  const children = new Map<string, PathSet>();
  let member = false;
  for (const [text, below] of Object.entries(fields)) {
    const step = text === '.' ? undefined : canonicalStep(text);
    if (step !== undefined) children.set(step, decode(below));
    else if (text === '.') member = true;
  }
  return children.size === 0 ? leaf : { member, children };
}
