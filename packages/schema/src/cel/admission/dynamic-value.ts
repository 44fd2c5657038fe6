/** JSON without a schema as expressions see it, looked at when it is asked for, and values back to JSON. */
import { isObject } from '@keelson/core';
import { isInteger } from '../../wording/go-text.ts';
import {
  Duration,
  ListValue,
  MapValue,
  type OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../language/values.ts';
import { showValue } from '../library/conversions.ts';

/** A JSON value as CEL sees it, by what it is. */
export function dynamicValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === 'string' || typeof json === 'boolean' || typeof json === 'bigint') return json;
  if (isInteger(json)) return BigInt(json);
  if (typeof json === 'number') return json;
  if (Array.isArray(json)) return new DynamicList(json);
  return isObject(json) ? new DynamicMap(json) : null;
}

class DynamicMap extends MapValue {
  readonly #json: Readonly<Record<string, unknown>>;
  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.#json = json;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.#json, key) ? dynamicValue(this.#json[key]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

class DynamicList extends ListValue {
  readonly #json: readonly unknown[];
  constructor(json: readonly unknown[]) {
    super();
    this.#json = json;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return dynamicValue(this.#json[index]);
  }
}

/** A value that cannot be JSON. */
export class NotJson extends Error {}

/** The value as JSON; throws `NotJson`. */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return whole(value);
  if (value instanceof Uint) return whole(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp || value instanceof Duration) return showValue(value);
  if (value instanceof ListValue) return [...value].map(jsonOf);
  if (value instanceof MapValue) return objectOf(value);
  throw new NotJson(notJson(value));
}

const whole = (value: bigint): number | bigint =>
  BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;

function objectOf(value: MapValue): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const key of value.keys()) {
    if (typeof key !== 'string') throw new NotJson(`map key ${JSON.stringify(showValue(key))} is not a string`);
    entries.push([key, jsonOf(value.get(key) ?? null)]);
  }
  return Object.fromEntries(entries);
}

function notJson(value: TypeValue | Optional | OpaqueValue | Value): string {
  if (value instanceof TypeValue) return `type ${value.name} is no JSON`;
  return value instanceof Optional ? 'an optional is no JSON' : 'the value is no JSON';
}
