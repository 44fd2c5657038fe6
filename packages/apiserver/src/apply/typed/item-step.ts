/** Which step leads to an item of a list whose items have owners of their own. */
import { keyStep, valueStep } from '@keelson/core/fields';
import { isObject } from '../../object.ts';
import type { ListType } from '../schemas/type-schema.ts';
import { isList, type Json } from './json.ts';

/** Keys that an item leaves out stand for their defaults, so a port without a protocol is a TCP port. */
export function itemStep(list: ListType, item: Json): string {
  return list.relationship === 'map' ? keyedStep(list, item) : setStep(item);
}

function keyedStep(list: ListType, item: Json): string {
  if (item === null) throw new TypeError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new TypeError('associative list with keys may not have non-map elements');
  const keys: [string, Json][] = [];
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.items.map?.fields.get(key)?.default;
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length > 0) return keyStep(keys);
  const names = list.keys.map((key) => JSON.stringify(key)).join(' ');
  throw new TypeError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setStep(item: Json): string {
  if (item === null) throw new TypeError("associative list without keys has an element that's an explicit null");
  if (isList(item)) throw new TypeError('not supported: associative list with lists as elements');
  if (isObject(item)) throw new TypeError("associative list without keys has an element that's a map type");
  return valueStep(item);
}
