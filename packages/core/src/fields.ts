/**
 * Field sets (`FieldsV1`): which fields of an object a manager owns, and the values that it has there.
 *
 * Projecting an object onto a manager's fields gives back what that manager applied, after the server's normalisation.
 * That is how a write that would change nothing is recognised without sending it.
 */
import type { ManagedFieldsEntry } from './generated/meta/v1.ts';
import type { ObjectMeta } from './meta.ts';

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

/** What `object` has in the fields of `fields`, in the object's own shape; `undefined` where it has nothing there. */
export function project(object: unknown, fields: FieldSet): unknown {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  if (steps.length === 0) return object;
  if (Array.isArray(object)) return projectItems(object, steps, fields);
  if (typeof object !== 'object' || object === null) return object;
  const projection: Record<string, unknown> = {};
  for (const step of steps) {
    const name = step.slice(2);
    const value = (object as Record<string, unknown>)[name];
    if (value !== undefined) projection[name] = project(value, fields[step] ?? {});
  }
  return projection;
}

/** In the list's order, since the order that was applied is not part of the field set. */
function projectItems(items: readonly unknown[], steps: readonly string[], fields: FieldSet): unknown[] {
  const selected = steps.map((step) => ({ step, matches: itemMatcher(step) }));
  return items.flatMap((item, index) => {
    const found = selected.find(({ matches }) => matches(item, index));
    return found ? [project(item, fields[found.step] ?? {})] : [];
  });
}

function itemMatcher(step: string): (item: unknown, index: number) => boolean {
  const rest = step.slice(2);
  switch (step.slice(0, 2)) {
    case 'k:': {
      const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
      return (item) => keys.every(([name, value]) => (item as Record<string, unknown> | null)?.[name] === value);
    }
    case 'v:': {
      const value = JSON.stringify(JSON.parse(rest));
      return (item) => JSON.stringify(item) === value;
    }
    case 'i:':
      return (_, index) => index === Number(rest);
    default:
      return () => false;
  }
}

/** Whether two JSON values are equal; a member that is `undefined` counts as absent, and members have no order. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a))
    return a.length === (b as unknown[]).length && a.every((item, i) => equalJson(item, (b as unknown[])[i]));
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = Object.entries(b).filter(([, value]) => value !== undefined);
  const other = b as Record<string, unknown>;
  return (
    left.length === right.length &&
    left.every(([name, value]) => Object.hasOwn(other, name) && equalJson(value, other[name]))
  );
}
