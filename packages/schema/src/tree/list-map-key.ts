/** What tells the items of a list of the type `map` apart. */
import { isObject } from '@keelson/core';

/** Undefined where a key is missing or no scalar. */
export function listMapKey(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const parts: string[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    parts.push(`${typeof value}:${String(value)}`);
  }
  return parts.join('\u0000');
}
