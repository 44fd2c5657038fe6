/** Edits as a user makes them in one version: one field of the spec becomes what it is in another object, or goes. */
import { equalJson, isObject, type JsonObject, type Random } from '@keelson/core';
import { pick } from './random-object.ts';

/** Where, and what then stands there; undefined for nothing. */
export interface Edit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** An edit that makes `value` more like `other`, below spec or status; undefined where both are the same. */
export function randomEdit(value: unknown, other: unknown, random: Random, depth = 0): Edit | undefined {
  if (equalJson(value, other)) return undefined;
  const goesDeeper = depth < 2 || random.next() < 0.7;
  if (isObject(value) && isObject(other) && goesDeeper) {
    const names = [...new Set([...Object.keys(value), ...Object.keys(other)])];
    const differing = names.filter((name) => !equalJson(value[name], other[name]));
    const name = pick(differing, random);
    const edit = randomEdit(value[name], other[name], random, depth + 1);
    return edit && { ...edit, path: [name, ...edit.path] };
  }
  if (Array.isArray(value) && Array.isArray(other) && value.length > 0 && other.length > 0 && goesDeeper) {
    const index = Math.floor(random.next() * value.length);
    const edit = randomEdit(value[index], pick(other, random), random, depth + 1);
    return edit && { ...edit, path: [index, ...edit.path] };
  }
  return { path: [], value: other };
}

/** The value with the edit; undefined where its place is not there. */
export function edited(value: unknown, { path, value: replacement }: Edit): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (Array.isArray(value) && typeof step === 'number') {
    if (step >= value.length) return undefined;
    return value.map((item, index) => (index === step ? edited(item, { path: rest, value: replacement }) : item));
  }
  if (!isObject(value)) return undefined;
  const { [step]: before, ...others } = value as JsonObject;
  const after = edited(before, { path: rest, value: replacement });
  return after === undefined ? others : { ...others, [step]: after };
}

/** `spec.ports[0].port` */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}
