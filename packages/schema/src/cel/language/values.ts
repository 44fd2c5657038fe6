/**
 * Values of CEL at run time.
 *
 * int is bigint, double is number; string, bool and null are themselves. Errors are values, so that && and || can
 * disregard them; functions never get one.
 */
import type { Instant } from '../../formats/time.ts';
import { countCharacters } from './characters.ts';
import type { Type } from './types.ts';

/** A value of CEL. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | ListValue
  | MapValue
  | OpaqueValue
  | CelError;

/** What went wrong, as a value. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A call for values of types that the function does not know; found at run time where types are dynamic. */
export function noSuchOverload(details = ''): CelError {
  return new CelError(details === '' ? 'no such overload' : `no such overload: ${details}`);
}

/** A whole number without a sign. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time. */
export class Timestamp implements Instant {
  readonly seconds: number;
  readonly nanos: number;
  constructor({ seconds, nanos }: Instant) {
    this.seconds = seconds;
    this.nanos = nanos;
  }

  get total(): bigint {
    return BigInt(this.seconds) * 1_000_000_000n + BigInt(this.nanos);
  }
}

/** A span of time. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be absent. */
export class Optional {
  /** Undefined for none. */
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of a library's own type. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
}

/** A list, of the object or made by an expression. */
export abstract class ListValue {
  abstract readonly size: number;
  /** Whether comparing it with something that is no list is an error: so it is for lists of the object. */
  readonly isStrict: boolean = false;
  abstract at(index: number): Value;
  /** Undefined where lists of this kind are compared and added item by item. */
  equals(_other: ListValue): boolean | CelError | undefined {
    return undefined;
  }
  plus(other: ListValue): ListValue {
    return new Items([...this, ...other]);
  }
  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A list that an expression made. Lists that grow item by item, as `map()` makes them, share what they have in common. */
export class Items extends ListValue {
  readonly #items: Value[];
  readonly size: number;
  constructor(items: readonly Value[], size = items.length) {
    super();
    this.#items = items as Value[];
    this.size = size;
  }

  at(index: number): Value {
    return index < this.size ? (this.#items[index] ?? null) : null;
  }

  override plus(other: ListValue): ListValue {
    // Only the longest of those that share can grow in place.
    const isLongest = this.#items.length === this.size && this.size > 0;
    const items = isLongest ? this.#items : [...this];
    for (const item of other) items.push(item);
    return new Items(items);
  }
}

/** A map, of the object or made by an expression. */
export abstract class MapValue {
  abstract readonly size: number;
  /** Whether comparing it with something that is no map is an error: so it is for maps of the object. */
  readonly isStrict: boolean = false;
  /** Undefined when there is no such key. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
  /** Undefined where maps of this kind are compared key by key. */
  equals(_other: MapValue): boolean | CelError | undefined {
    return undefined;
  }
}

/** A value of a type with fields, made by an expression: `Name{field: value}`. */
export class StructValue extends MapValue {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
  constructor(name: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.name = name;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.fields.keys();
  }

  /** Of another type is not equal. */
  override equals(other: MapValue): boolean | undefined {
    return other instanceof StructValue && other.name === this.name ? undefined : false;
  }
}

/** Keys that are equal as numbers are the same key, whatever their type. */
export function keyText(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key !== 'number') return undefined;
  return `n${Number.isInteger(key) ? BigInt(key) : key}`;
}

interface Entry {
  readonly key: Value;
  readonly value: Value;
  /** How many entries were there before it. */
  readonly index: number;
}

/** A map that an expression made. Maps that grow entry by entry share what they have in common, as lists do. */
export class Entries extends MapValue {
  readonly #entries: Map<string, Entry>;
  readonly size: number;
  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>);
  constructor(entries: Map<string, Entry>, size: number);
  constructor(entries: ReadonlyMap<string, readonly [Value, Value] | Entry>, size?: number) {
    super();
    this.size = size ?? entries.size;
    this.#entries =
      size === undefined
        ? new Map(
            [...(entries as ReadonlyMap<string, readonly [Value, Value]>)].map(([text, [key, value]], index) => [
              text,
              { key, value, index },
            ]),
          )
        : (entries as Map<string, Entry>);
  }

  #entry(text: string): Entry | undefined {
    const found = this.#entries.get(text);
    return found !== undefined && found.index < this.size ? found : undefined;
  }

  get(key: Value): Value | undefined {
    return this.#entry(keyText(key) ?? '')?.value;
  }

  *keys(): Iterable<Value> {
    for (const { key, index } of this.#entries.values()) {
      if (index >= this.size) return;
      yield key;
    }
  }

  /** With one entry more; undefined when the key is there already. */
  with(key: Value, value: Value): Entries | undefined {
    const text = keyText(key) ?? '';
    if (this.#entry(text) !== undefined) return undefined;
    // Only the largest of those that share can grow in place.
    const entries =
      this.#entries.size === this.size
        ? this.#entries
        : new Map([...this.#entries].filter(([, { index }]) => index < this.size));
    entries.set(text, { key, value, index: this.size });
    return new Entries(entries, this.size + 1);
  }
}

/** The length that `size()` gives, and that costs go by; 1 for what has none. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return countCharacters(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}
