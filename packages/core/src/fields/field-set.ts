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
  if (typeof object !== 'object' || object === null || isWhole(fields)) return object;
  if (Array.isArray(object)) return projectItems(object, fields);
  const projection: Record<string, unknown> = {};
  for (const step in fields) {
    const name = step.slice(2);
    const value = Object.hasOwn(object, name) ? (object as Members)[name] : undefined;
    if (step === '.' || value === undefined) continue;
    const projected = project(value, fields[step] ?? {});
    if (name !== '__proto__') projection[name] = projected;
    else Object.defineProperty(projection, name, { value: projected, enumerable: true });
  }
  return projection;
}

/** Whether the set owns everything below. */
function isWhole(fields: FieldSet): boolean {
  for (const step in fields) if (step !== '.') return false;
  return true;
}

/** How a set names the items of a list. */
interface ItemNames {
  /** By the canonical form of a step, the step as the set has it. */
  readonly steps: ReadonlyMap<string, string>;
  /** The names of the keys, one list for each combination that occurs. */
  readonly keys: readonly (readonly string[])[];
  readonly byValue: boolean;
}

/** A cache keeps a field set once for the many objects that have it, so its steps are read once, too. */
const itemNames = new WeakMap<FieldSet, ItemNames>();

function itemNamesOf(fields: FieldSet): ItemNames {
  const known = itemNames.get(fields);
  if (known !== undefined) return known;
  const steps = new Map<string, string>();
  const keys = new Map<string, readonly string[]>();
  let byValue = false;
  for (const step of Object.keys(fields)) {
    if (step === '.') continue;
    const parsed = parseStep(step);
    if (parsed.kind === 'k') {
      const names = parsed.keys.map(([name]) => name);
      keys.set(JSON.stringify(names), names);
      steps.set(keyStep(parsed.keys), step);
    } else if (parsed.kind === 'v') {
      byValue = true;
      steps.set(valueStep(parsed.value), step);
    } else steps.set(step, step);
  }
  const names = { steps, keys: [...keys.values()], byValue };
  itemNames.set(fields, names);
  return names;
}

/**
 * In the list's order, since the order that was applied is not part of the field set. Items are looked up by the step
 * that would name them, not compared with each: lists and sets of fields may both be long.
 */
function projectItems(items: readonly unknown[], fields: FieldSet): unknown[] {
  const names = itemNamesOf(fields);
  const projection: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const step = stepTo(item, index, names);
    if (step !== undefined) projection.push(project(item, fields[step] ?? {}));
  }
  return projection;
}

/** The step of the set that names this item. */
function stepTo(item: unknown, index: number, { steps, keys, byValue }: ItemNames): string | undefined {
  const byIndex = steps.get(`i:${index}`);
  if (byIndex !== undefined) return byIndex;
  if (typeof item === 'object' && item !== null) {
    for (const names of keys) {
      const pairs = names.map((name) => [name, (item as Members)[name]] as const);
      const step = pairs.every(([, value]) => value !== undefined) ? steps.get(keyStep(pairs)) : undefined;
      if (step !== undefined) return step;
    }
  }
  return byValue ? steps.get(valueStep(item)) : undefined;
}
