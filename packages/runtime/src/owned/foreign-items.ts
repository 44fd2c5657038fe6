/**
 * Drift that server-side apply alone cannot repair: items that another manager put into a list that we describe.
 *
 * Apply leaves what others own, and that is right for fields that we never mention. But an operator that describes the
 * ports of a Service means these ports and no others; with a foreign one beside them its own may not even be valid.
 * Here such items are found (under `spec` alone, in lists that are described, owned by another manager; never defaults or
 * what admission added), and their ownership is made ours, so that the next apply takes them out. Pure.
 */
import type { FieldSet, KubernetesObject } from '@keelson/core';
import { equalJson } from '@keelson/core';
import { parseStep, type Step } from '@keelson/core/fields';

type ManagedFieldsEntry = NonNullable<KubernetesObject['metadata']['managedFields']>[number];
type Members = Readonly<Record<string, unknown>>;
type Steps = readonly string[];

/** An item of a list, who owns it, and where it is. */
export interface ForeignItem {
  readonly manager: string;
  /** As field sets have it: `f:spec`, `f:ports`, `k:{"port":81,"protocol":"TCP"}`. */
  readonly steps: Steps;
  /** What its owner has of it. */
  readonly fields: FieldSet;
  /** `spec.ports[port=81,protocol=TCP]`. */
  readonly path: string;
}

/**
 * The items of described lists that our own entry does not hold: what another manager may have put there. The cache has
 * no other entry than ours, so this is a suspicion and no more.
 */
export function suspiciousItems(
  live: KubernetesObject,
  ours: FieldSet | undefined,
  wanted: object,
  shared: readonly string[],
): readonly unknown[] {
  const [liveSpec, wantedSpec] = [specOf(live), specOf(wanted)];
  return unowned(liveSpec, wantedSpec, ours?.['f:spec'], 'spec', shared);
}

function unowned(
  live: unknown,
  wanted: unknown,
  ours: FieldSet | undefined,
  path: string,
  shared: readonly string[],
): readonly unknown[] {
  if (shared.includes(path)) return [];
  if (isMembers(live) && isMembers(wanted)) {
    return Object.keys(wanted).flatMap((name) =>
      unowned(live[name], wanted[name], ours?.[`f:${name}`], `${path}.${name}`, shared),
    );
  }
  if (!Array.isArray(live) || !Array.isArray(wanted)) return [];
  const steps = ours === undefined ? [] : stepsIn(ours);
  if (ours !== undefined && steps.length === 0) return []; // the list as a whole is ours
  return live.flatMap((item: unknown) => {
    const found = steps.find(({ step }) => isNamedBy(step, item));
    if (found === undefined) return [item];
    const described = wanted.find((each) => isNamedBy(found.step, each));
    return unowned(item, described, ours?.[found.text], path, shared);
  });
}

interface ReadStep {
  readonly text: string;
  readonly step: Step;
}

/** The cache keeps our field sets once for many objects; each is looked at in every pass, and read once. */
const stepsRead = new WeakMap<FieldSet, readonly ReadStep[]>();

function stepsIn(fields: FieldSet): readonly ReadStep[] {
  const known = stepsRead.get(fields);
  if (known !== undefined) return known;
  const texts = Object.keys(fields).filter((text) => text !== '.');
  const steps = texts.map((text) => ({ text, step: parseStep(text) }));
  stepsRead.set(fields, steps);
  return steps;
}

const specOf = (object: object): unknown => (object as { readonly spec?: unknown }).spec;

/** The items that another manager owns in lists that are described and that the description does not have. */
export function foreignItems(
  live: KubernetesObject,
  manager: string,
  wanted: object,
  shared: readonly string[],
): readonly ForeignItem[] {
  const entries = (live.metadata.managedFields ?? []).filter((entry) => isForeign(entry, manager));
  return entries.flatMap((entry) => {
    const fields = (entry.fieldsV1 as FieldSet | undefined)?.['f:spec'];
    const found = fields === undefined ? [] : undescribed(fields, specOf(wanted), ['f:spec'], shared);
    return found.map((steps) => ({
      manager: entry.manager ?? '',
      steps,
      fields: at(entry.fieldsV1 as FieldSet, steps),
      path: printed(steps),
    }));
  });
}

/** An entry under our own name that is no apply holds what admission added to what we had sent. */
const isForeign = ({ manager, subresource }: ManagedFieldsEntry, ours: string): boolean =>
  manager !== ours && !subresource;

function undescribed(fields: FieldSet, wanted: unknown, at: Steps, shared: readonly string[]): readonly Steps[] {
  if (shared.includes(fieldPath(at))) return [];
  return Object.entries(fields).flatMap(([step, below]) => {
    const steps = [...at, step];
    if (step.startsWith('f:')) return isMembers(wanted) ? undescribed(below, wanted[step.slice(2)], steps, shared) : [];
    if (!Array.isArray(wanted) || !/^[kv]:/.test(step)) return [];
    const parsed = parseStep(step);
    const described = wanted.find((item) => isNamedBy(parsed, item));
    return described === undefined ? [steps] : undescribed(below, described, steps, shared);
  });
}

/** The entries with those items ours: taken from their owners, added to the entry of our applies. */
export function withItemsOurs(
  entries: readonly ManagedFieldsEntry[],
  manager: string,
  items: readonly ForeignItem[],
): readonly ManagedFieldsEntry[] {
  const isOurs = (entry: ManagedFieldsEntry) =>
    entry.manager === manager && entry.operation === 'Apply' && !entry.subresource;
  const taken = items.map(({ steps, fields }) => steps.reduceRight((below, step) => ({ [step]: below }), fields));
  const changed = entries.flatMap((entry) => {
    const fields = (entry.fieldsV1 ?? {}) as FieldSet;
    if (isOurs(entry)) return [{ ...entry, fieldsV1: taken.reduce(joined, fields) }];
    if (!isForeign(entry, manager)) return [entry];
    const left = items.reduce<FieldSet | undefined>((rest, { steps }) => rest && without(rest, steps), fields);
    return left === undefined ? [] : [{ ...entry, fieldsV1: left }];
  });
  if (changed.some(isOurs)) return changed;
  const [like] = entries;
  const entry = { manager, operation: 'Apply', apiVersion: like?.apiVersion, time: like?.time, fieldsType: 'FieldsV1' };
  return [...changed, { ...entry, fieldsV1: taken.reduce(joined, {}) }];
}

const at = (fields: FieldSet, steps: Steps): FieldSet =>
  steps.reduce<FieldSet>((below, step) => below[step] ?? {}, fields);

function joined(a: FieldSet, b: FieldSet): FieldSet {
  const both: Record<string, FieldSet> = { ...a };
  for (const [step, below] of Object.entries(b)) both[step] = joined(both[step] ?? {}, below);
  return both;
}

/** `undefined` when nothing is left. */
function without(fields: FieldSet, [step = '', ...rest]: Steps): FieldSet | undefined {
  const { [step]: below, ...others } = fields;
  if (below === undefined) return fields;
  const left = rest.length === 0 ? undefined : without(below, rest);
  if (left !== undefined) return { ...others, [step]: left };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** Whether the item is the one that the step names. What an item does not say is a default, and may be that key. */
function isNamedBy(step: Step, item: unknown): boolean {
  if (step.kind === 'v') return equalJson(item, step.value);
  if (step.kind !== 'k' || !isMembers(item)) return false;
  return step.keys.every(([name, value]) => item[name] === undefined || item[name] === value);
}

function printed(steps: Steps): string {
  return steps
    .map((text, i) => {
      const step = parseStep(text);
      if (step.kind === 'k') return `[${step.keys.map(([name, value]) => `${name}=${value}`).join(',')}]`;
      return step.kind === 'v' ? `[${step.value}]` : `${i > 0 ? '.' : ''}${text.slice(2)}`;
    })
    .join('');
}

/** Without the items on the way: how `shared` names a list. */
const fieldPath = (steps: Steps): string =>
  steps.flatMap((step) => (step.startsWith('f:') ? step.slice(2) : [])).join('.');

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is wanted, without the shared fields that another manager has meanwhile set: the number of replicas, once an
 * autoscaler has changed it. Shared lists stay, since their items have owners of their own.
 */
export function withoutSharedFields<W extends object>(
  wanted: W,
  live: KubernetesObject,
  ours: FieldSet | undefined,
  shared: readonly string[],
): W {
  return shared.reduce<W>((rest, path) => {
    const names = path.split('.');
    const value = valueAt(live, names);
    if (value === undefined || typeof value === 'object') return rest;
    const isOurs = names.reduce<FieldSet | undefined>((fields, name) => fields?.[`f:${name}`], ours) !== undefined;
    return isOurs ? rest : (withoutMember(rest as Members, names) as W);
  }, wanted);
}

const valueAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((found, name) => (isMembers(found) ? found[name] : undefined), value);

function withoutMember(value: Members, [name = '', ...rest]: readonly string[]): Members {
  const { [name]: member, ...others } = value;
  if (rest.length === 0) return others;
  return isMembers(member) ? { ...value, [name]: withoutMember(member, rest) } : value;
}
