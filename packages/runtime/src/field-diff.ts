/** Which fields differ between two states of an object, and who set them. Pure; for reports, not for decisions. */
import { equalJson, type FieldSet, isObject, type KubernetesObject, project } from '@keelson/core';

/** A step into a member, or to the list item with this name. */
type Step = string | number | { readonly name: string };

export type FieldPath = readonly Step[];

/** Where the two differ, as deep as both go; what only one of them has is named and not entered. */
export function differingPaths(a: unknown, b: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (equalJson(a, b) || (isNothing(a) && isNothing(b))) return [];
  if (Array.isArray(a) && Array.isArray(b)) return differingItems(a, b, path);
  if (!isObject(a) || !isObject(b)) return [path];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) => differingPaths(a[name], b[name], [...path, name]));
}

function differingItems(a: readonly unknown[], b: readonly unknown[], path: FieldPath): readonly FieldPath[] {
  const names = [...a, ...b].map(nameOf);
  if (names.includes(undefined)) return [path];
  return [...new Set(names)].flatMap((name = '') => {
    const step = { name };
    return differingPaths(at(a, [step]), at(b, [step]), [...path, step]);
  });
}

/** `spec.template.spec.containers[web].image`. */
export function printPath(path: FieldPath): string {
  return path.map((step, i) => (typeof step === 'object' ? `[${step.name}]` : `${i > 0 ? '.' : ''}${step}`)).join('');
}

/** Who else has set the field: the managers whose entry holds it, the latest first. */
export function managersOf(object: KubernetesObject, path: FieldPath, except: string): readonly string[] {
  const entries = (object.metadata.managedFields ?? []).filter(
    ({ manager, fieldsV1 }) =>
      manager !== except && fieldsV1 !== undefined && at(project(object, fieldsV1 as FieldSet), path) !== undefined,
  );
  const latestFirst = entries.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1));
  return [...new Set(latestFirst.flatMap(({ manager }) => manager ?? []))];
}

function at(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((found, step) => {
    if (typeof step === 'object')
      return Array.isArray(found) ? found.find((item) => nameOf(item) === step.name) : undefined;
    return isObject(found) ? found[step] : undefined;
  }, value);
}

/** What most keyed lists are keyed by: containers, volumes and variables by name, conditions by type. */
export function nameOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const { name, type, port } = item;
  return [name, type, port].find((each) => typeof each === 'string' || typeof each === 'number')?.toString();
}

/** The server keeps nothing for an empty list or map. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
