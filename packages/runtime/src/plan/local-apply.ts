/**
 * Server-side apply on this side, for a plan: what the live object would become, as far as it can be known without the
 * server. Pure.
 *
 * Which lists are merged by keys, which are sets, and which lists and maps are replaced whole is read from the
 * managedFields of the live object: whoever wrote a list left its steps there. A list that nobody owns is replaced.
 * Does not: default, validate, admit, or write managedFields.
 */
import {
  appliedEntryOf,
  compareQuantities,
  equalJson,
  isObject,
  type JsonObject,
  type KubernetesObject,
  parseQuantity,
} from '@keelson/core';
import { decodeFields, emptySet, fieldStep, type PathSet, parseStep, union } from '@keelson/core/fields';

export interface LocalApply {
  readonly live: KubernetesObject;
  /** What is applied, with its identity. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly subresource?: string | undefined;
}

/** The live object with `applied` merged in, without what the manager applied before, no longer names and owns alone. */
export function appliedLocally({ live, applied, manager, subresource }: LocalApply): KubernetesObject {
  const own = appliedEntryOf(live, manager, subresource);
  const entries = (live.metadata.managedFields ?? []).map((entry) => ({
    entry,
    set: decodeFields(entry.fieldsV1 ?? {}),
  }));
  const joined = (sets: readonly PathSet[]) => sets.reduce(union, emptySet);
  const all = joined(entries.map(({ set }) => set));
  const ours = joined(entries.filter(({ entry }) => entry === own).map(({ set }) => set));
  const others = joined(entries.filter(({ entry }) => entry !== own).map(({ set }) => set));
  const merged = merge(live, applied, all) as JsonObject;
  return members(merged, applied, ours, others) as unknown as KubernetesObject;
}

function merge(live: unknown, wanted: unknown, shape: PathSet | undefined, isAmount = false): unknown {
  if (wanted === undefined || equalJson(live, wanted)) return live;
  // Somebody owns what is not there: the server keeps no such value.
  if (live === undefined) return shape !== undefined && isZero(wanted) ? undefined : wanted;
  const isWhole = shape?.member === true && shape.children.size === 0 && !isZero(live);
  if (isObject(live) && isObject(wanted) && !isWhole) return mergeMembers(live, wanted, shape, isAmount);
  const hasSteps = shape !== undefined && shape.children.size > 0;
  if (hasSteps && Array.isArray(live) && Array.isArray(wanted)) return mergeItems(live, wanted, shape);
  return isAmount && isSameAmount(live, wanted) ? live : wanted;
}

/** Members whose values are amounts, which the server writes in its own way: `0.1` is `100m`. */
const lists = new Set(['requests', 'limits', 'capacity', 'hard', 'overhead']);

function mergeMembers(
  live: JsonObject,
  wanted: JsonObject,
  shape: PathSet | undefined,
  areAmounts: boolean,
): JsonObject {
  const changes = Object.entries(wanted).map(([name, value]) => [
    name,
    merge(live[name], value, shape?.children.get(fieldStep(name)), areAmounts || lists.has(name)),
  ]);
  return { ...live, ...Object.fromEntries(changes) };
}

function isSameAmount(live: unknown, wanted: unknown): boolean {
  try {
    return compareQuantities(parseQuantity(String(live)), parseQuantity(String(wanted))) === 0;
  } catch {
    return false;
  }
}

/** Items in the wanted order; those that only the live list has stay behind the ones that they followed there. */
function mergeItems(live: readonly unknown[], wanted: readonly unknown[], shape: PathSet): readonly unknown[] {
  const steps = [...shape.children.keys()];
  const counterparts = wanted.map((item) => live.find((each) => isSameItem(steps, each, item)));
  const merged = wanted.map((item, i) => {
    const before = counterparts[i];
    const [, inner] = [...shape.children].find(([step]) => names(step, before)) ?? [];
    return { before, item: merge(before, item, inner) };
  });
  for (const [i, item] of live.entries()) {
    if (counterparts.includes(item)) continue;
    const place = merged.findIndex(({ before }) => before !== undefined && before === live[i - 1]);
    merged.splice(place + 1, 0, { before: item, item });
  }
  return merged.map(({ item }) => item);
}

/** By the value in a set, by the keys elsewhere; a key that is not said is a default, and may be that one. */
function isSameItem(steps: readonly string[], live: unknown, wanted: unknown): boolean {
  return steps.some((step) => names(step, live) && names(step, wanted)) || haveSameKeys(steps, live, wanted);
}

function haveSameKeys(steps: readonly string[], live: unknown, wanted: unknown): boolean {
  const [first] = steps.map(parseStep).filter((step) => step.kind === 'k');
  if (first === undefined || !isObject(live) || !isObject(wanted)) return equalJson(live, wanted);
  const keys = first.keys.map(([key]) => key).filter((key) => wanted[key] !== undefined);
  return keys.length > 0 && keys.every((key) => equalJson(live[key], wanted[key]));
}

/** Whether a step leads to this item, as far as it says its keys. */
function names(text: string, item: unknown): boolean {
  const step = parseStep(text);
  if (step.kind === 'v') return equalJson(item, step.value);
  if (step.kind !== 'k' || !isObject(item)) return false;
  const said = step.keys.filter(([key]) => item[key] !== undefined);
  return said.length > 0 && said.every(([key, value]) => equalJson(item[key], value));
}

/** A value without what only we own and no longer name; `undefined` when nothing is left of it. */
function pruned(value: unknown, wanted: unknown, ours: PathSet, others: PathSet | undefined): unknown {
  if (wanted === undefined && others === undefined) return undefined;
  // What is wanted has the form of what came of it.
  if (isObject(value)) return members(value, wanted as JsonObject | undefined, ours, others);
  if (Array.isArray(value)) return items(value, wanted as readonly unknown[] | undefined, ours, others);
  return value;
}

function members(
  value: JsonObject,
  wanted: JsonObject | undefined,
  ours: PathSet,
  others: PathSet | undefined,
): JsonObject | undefined {
  const kept = Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
    const step = fieldStep(name);
    const own = ours.children.get(step);
    const rest = own === undefined ? member : pruned(member, wanted?.[name], own, others?.children.get(step));
    return rest === undefined ? [] : [[name, rest]];
  });
  return kept.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(kept);
}

function items(
  value: readonly unknown[],
  wanted: readonly unknown[] | undefined,
  ours: PathSet,
  others: PathSet | undefined,
): readonly unknown[] | undefined {
  const kept = value.flatMap((item) => {
    const own = [...ours.children].find(([step]) => names(step, item));
    if (own === undefined) return [item];
    const [step, inner] = own;
    const described = wanted?.find((each) => isSameItem([step], item, each));
    const rest = pruned(item, described, inner, others?.children.get(step));
    return rest === undefined ? [] : [rest];
  });
  return kept.length === 0 && value.length > 0 ? undefined : kept;
}

const isZero = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0);
