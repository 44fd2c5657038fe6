/**
 * Field sets (`FieldsV1`): which fields of an object a manager owns, and the values that it has there.
 *
 * Projecting an object onto a manager's fields gives back what that manager applied, after the server's normalisation.
 * That is how a write that would change nothing is recognised without sending it.
 */
import type { ManagedFieldsEntry } from '../generated/meta/v1.ts';
import type { ObjectMeta } from '../meta.ts';
import { keyStep, parseStep, valueStep } from './step.ts';

/**
 * `f:name` steps into a field, `k:{…}` into the list item with those keys, `v:…` into the set item of that value, `i:n`
 * into the item at that index; `.` is the item itself. An empty set owns everything below.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

/** The entry that server-side apply keeps for `manager`; each subresource has one of its own. */
export function appliedEntryOf(
  object: { readonly metadata: ObjectMeta },
  manager: string,
  subresource = '',
): ManagedFieldsEntry | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === subresource,
  );
}

type Members = Readonly<Record<string, unknown>>;

/** What `object` has in the fields of `fields`, in the object's own shape; `undefined` where it has nothing there. */
export function project(object: unknown, fields: FieldSet): unknown {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  if (steps.length === 0) return object;
  if (Array.isArray(object)) return projectItems(object, steps, fields);
  if (typeof object !== 'object' || object === null) return object;
  const projection: [string, unknown][] = [];
  for (const step of steps) {
    const name = step.slice(2);
    const value = Object.hasOwn(object, name) ? (object as Members)[name] : undefined;
    if (value !== undefined) projection.push([name, project(value, fields[step] ?? {})]);
  }
  return Object.fromEntries(projection);
}

/**
 * In the list's order, since the order that was applied is not part of the field set. Items are looked up by the step
 * that would name them, not compared with each: lists and sets of fields may both be long.
 */
function projectItems(items: readonly unknown[], steps: readonly string[], fields: FieldSet): unknown[] {
  const known = new Map<string, string>();
  const keyNames = new Map<string, readonly string[]>();
  for (const step of steps) {
    const parsed = parseStep(step);
    if (parsed.kind === 'k') {
      const names = parsed.keys.map(([name]) => name);
      keyNames.set(JSON.stringify(names), names);
      known.set(keyStep(parsed.keys), step);
    } else if (parsed.kind === 'v') known.set(valueStep(parsed.value), step);
    else known.set(step, step);
  }
  return items.flatMap((item, index) => {
    const step = stepsOf(item, index, keyNames.values()).find((each) => known.has(each));
    return step === undefined ? [] : [project(item, fields[known.get(step) ?? ''] ?? {})];
  });
}

/** Every step that names this item, with these names for its keys. */
function stepsOf(item: unknown, index: number, keyNames: Iterable<readonly string[]>): string[] {
  const steps = [`i:${index}`];
  if (typeof item !== 'object' || item === null) return [valueStep(item), ...steps];
  for (const names of keyNames) {
    const keys = names.map((name) => [name, (item as Members)[name]] as const);
    if (keys.every(([, value]) => value !== undefined)) steps.push(keyStep(keys));
  }
  return [...steps, valueStep(item)];
}
