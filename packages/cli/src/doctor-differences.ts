/** Where two JSON values differ, by path. */
import { equalJson, isObject } from '@keelson/core';

/** The paths of the deepest fields that differ; entries of a list with names are known by these. */
export function differences(a: unknown, b: unknown, path: string): readonly string[] {
  if (equalJson(a, b)) return [];
  const [left, right] = [membersOf(a), membersOf(b)];
  if (left === undefined || right === undefined) return [path];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names.flatMap((name) => differences(left.get(name), right.get(name), `${path}${name}`));
}

/** The fields of an object, or the entries of a list, by what a path calls them. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (isObject(value)) return new Map(Object.entries(value).map(([name, field]) => [`.${name}`, field]));
  if (!Array.isArray(value)) return undefined;
  return new Map(
    value.map((each: unknown, i) => [`[${isObject(each) && typeof each.name === 'string' ? each.name : i}]`, each]),
  );
}
