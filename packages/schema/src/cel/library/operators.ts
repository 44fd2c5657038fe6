/** Arithmetic, comparison, and what else has a sign. */

import { one, perCharacter, plus, type Range, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { compare, contains, isEqual } from '../language/equality.ts';
import {
  CelError,
  Duration,
  type Entries,
  type ListValue,
  type MapValue,
  noSuchOverload,
  Optional,
  sizeOf,
  Timestamp,
  Uint,
  type Value,
} from '../language/values.ts';

function int64(value: bigint): Value {
  return BigInt.asIntN(64, value) === value ? value : new CelError('integer overflow');
}

function uint64(value: bigint): Value {
  return BigInt.asUintN(64, value) === value ? new Uint(value) : new CelError('unsigned integer overflow');
}

function durationOf(nanos: bigint): Value {
  return BigInt.asIntN(64, nanos) === nanos ? new Duration(nanos) : new CelError('integer overflow');
}

const [minSeconds, maxSeconds] = [-62_135_596_800n, 253_402_300_799n];

/** A time by its nanoseconds since 1970, from year 1 to 9999. */
export function timestampOf(nanos: bigint): Value {
  const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = (nanos - rest) / 1_000_000_000n;
  if (seconds < minSeconds || seconds > maxSeconds) return new CelError('timestamp overflow');
  return new Timestamp({ seconds: Number(seconds), nanos: Number(rest) });
}

type Ints = (a: bigint, b: bigint) => bigint;

function integers(name: string, run: Ints, zero?: string): Library {
  const guarded = (wrap: (value: bigint) => Value, a: bigint, b: bigint): Value =>
    zero !== undefined && b === 0n ? new CelError(zero) : wrap(run(a, b));
  return [
    overload(`'${name}'(int, int): int`, (a, b) => guarded(int64, a as bigint, b as bigint)),
    overload(`'${name}'(uint, uint): uint`, (a, b) => guarded(uint64, (a as Uint).value, (b as Uint).value)),
  ];
}

function doubles(name: string, run: (a: number, b: number) => number): Library {
  return [overload(`'${name}'(double, double): double`, (a, b) => run(a as number, b as number))];
}

const nanos = (value: Value): bigint => (value instanceof Timestamp ? value.total : (value as Duration).nanos);

/** Both texts are copied. */
const concatenation = {
  cost: (args: readonly Value[]) => Math.ceil((sizeOf(args[0] ?? null) + sizeOf(args[1] ?? null)) * perCharacter),
  estimate: (a: Sized, b: Sized) => ({ cost: scaled(plus(a.size, b.size), perCharacter), size: plus(a.size, b.size) }),
};

const arithmetic: Library = [
  overload("'_+_'(bytes, bytes): bytes", (a, b) => Buffer.concat([a as Uint8Array, b as Uint8Array]), concatenation),
  ...doubles('_+_', (a, b) => a + b),
  overload("'_+_'(duration, duration): duration", (a, b) => durationOf(nanos(a) + nanos(b))),
  overload("'_+_'(duration, timestamp): timestamp", (a, b) => timestampOf(nanos(a) + nanos(b))),
  overload("'_+_'(timestamp, duration): timestamp", (a, b) => timestampOf(nanos(a) + nanos(b))),
  ...integers('_+_', (a, b) => a + b).slice(0, 1),
  overload("'_+_'(list<A>, list<A>): list<A>", (a, b) => (a as ListValue).plus(b as ListValue), {
    id: 'add_list',
    estimate: (a, b) => ({ cost: one, size: plus(a.size, b.size) }),
  }),
  overload("'_+_'(string, string): string", (a, b) => `${a}${b}`, concatenation),
  ...integers('_+_', (a, b) => a + b).slice(1),
  ...doubles('_/_', (a, b) => a / b),
  ...integers('_/_', (a, b) => a / b, 'division by zero'),
  ...integers('_%_', (a, b) => a % b, 'modulus by zero'),
  ...doubles('_*_', (a, b) => a * b),
  ...integers('_*_', (a, b) => a * b),
  overload("'-_'(double): double", (a) => -(a as number)),
  overload("'-_'(int): int", (a) => int64(-(a as bigint))),
  ...doubles('_-_', (a, b) => a - b),
  overload("'_-_'(duration, duration): duration", (a, b) => durationOf(nanos(a) - nanos(b))),
  ...integers('_-_', (a, b) => a - b),
  overload("'_-_'(timestamp, duration): timestamp", (a, b) => timestampOf(nanos(a) - nanos(b))),
  overload("'_-_'(timestamp, timestamp): duration", (a, b) => durationOf(nanos(a) - nanos(b))),
];

/** The shorter of the two decides. */
function comparisonCost(args: readonly Value[]): number {
  return Math.ceil(Math.min(sizeOf(args[0] ?? null), sizeOf(args[1] ?? null)) * perCharacter);
}

function comparisonEstimate(a: Sized, b: Sized): { readonly cost: Range } {
  const max = Math.min(a.size.max, b.size.max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, perCharacter) };
}

function orders(name: string, holds: (order: number) => boolean): Library {
  const run = (a: Value, b: Value): Value => {
    const order = compare(a, b);
    return order instanceof CelError ? order : holds(order);
  };
  const texts = { cost: comparisonCost, estimate: comparisonEstimate };
  const numbers = ['int', 'uint', 'double'];
  return [
    ...['bool', 'timestamp', 'duration'].map((type) => overload(`'${name}'(${type}, ${type}): bool`, run)),
    ...numbers.flatMap((left) => numbers.map((right) => overload(`'${name}'(${left}, ${right}): bool`, run))),
    overload(`'${name}'(string, string): bool`, run, texts),
    overload(`'${name}'(bytes, bytes): bool`, run, texts),
  ];
}

/** Values of libraries are compared in one step. */
const equality = {
  cost: (args: readonly Value[]) => comparisonCost(args),
  estimate: (a: Sized, b: Sized) =>
    a.type.kind === 'struct' && a.type.name.startsWith('kubernetes.') ? { cost: one } : comparisonEstimate(a, b),
};

function item(list: Value, index: Value): Value | undefined {
  const i = index instanceof Uint ? index.value : index;
  if (typeof i !== 'bigint' && !(typeof i === 'number' && Number.isInteger(i))) return undefined;
  const position = Number(i);
  return position >= 0 && position < (list as ListValue).size ? (list as ListValue).at(position) : undefined;
}

function showKey(key: Value): string {
  return key instanceof Uint ? key.value.toString() : String(key);
}

const access: Library = [
  overload(
    "'_[_]'(list<A>, int): A",
    (list, i) => item(list, i) ?? new CelError(`index out of bounds: ${showKey(i)}`),
    {
      id: 'index_list',
    },
  ),
  overload(
    "'_[_]'(map<A, B>, A): B",
    (map, key) => (map as MapValue).get(key) ?? new CelError(`no such key: ${showKey(key)}`),
    {
      id: 'index_map',
    },
  ),
  overload("'_[_]'(optional<list<A>>, int): optional<A>", (list, i) => within(list, (inner) => item(inner, i))),
  overload("'_[_]'(optional<map<A, B>>, A): optional<B>", (map, key) => within(map, (inner) => entry(inner, key))),
  overload("'_[?_]'(list<A>, int): optional<A>", (list, i) => new Optional(item(list, i))),
  overload("'_[?_]'(optional<list<A>>, int): optional<A>", (list, i) => within(list, (inner) => item(inner, i))),
  overload("'_[?_]'(map<A, B>, A): optional<B>", (map, key) => new Optional(entry(map, key))),
  overload("'_[?_]'(optional<map<A, B>>, A): optional<B>", (map, key) => within(map, (inner) => entry(inner, key))),
  overload("'@in'(A, list<A>): bool", (value, list) => contains(list as ListValue, value), {
    cost: (args) => sizeOf(args[1] ?? null),
    estimate: (_, list) => ({ cost: list.size }),
  }),
  overload("'@in'(A, map<A, B>): bool", (key, map) => {
    const found = entry(map, key);
    return found instanceof CelError ? found : found !== undefined;
  }),
];

function entry(map: Value, key: Value): Value | undefined {
  return (map as MapValue).get(key);
}

function within(value: Value, find: (inner: Value) => Value | undefined): Value {
  const inner = (value as Optional).value;
  if (inner === undefined) return new Optional(undefined);
  const found = typeof inner === 'object' && inner !== null ? find(inner) : noSuchOverload();
  return found instanceof CelError ? found : new Optional(found);
}

/** Everything that is written with a sign. */
export const operators: Library = [
  // These run only as far as they must, which the evaluator sees to.
  overload("'_?_:_'(bool, A, A): A", () => noSuchOverload(), { id: 'conditional' }),
  overload("'_&&_'(bool, bool): bool", () => noSuchOverload(), { id: 'logical' }),
  overload("'_||_'(bool, bool): bool", () => noSuchOverload(), { id: 'logical' }),
  overload("'@not_strictly_false'(bool): bool", () => noSuchOverload()),
  overload("'!_'(bool): bool", (value) => !value),
  overload("'_==_'(A, A): bool", (a, b) => isEqual(a, b), equality),
  // What cannot be compared is not equal here, while it is an error for ==.
  overload("'_!=_'(A, A): bool", (a, b) => isEqual(a, b) !== true, {
    cost: comparisonCost,
    estimate: comparisonEstimate,
  }),
  ...arithmetic,
  ...orders('_<_', (order) => order < 0),
  ...orders('_<=_', (order) => order <= 0),
  ...orders('_>_', (order) => order > 0),
  ...orders('_>=_', (order) => order >= 0),
  ...access,
  overload("'cel.@mapInsert'(map<K, V>, K, V): map<K, V>", insert),
  overload("'cel.@mapInsert'(map<K, V>, map<K, V>): map<K, V>", (map, more) => {
    let result = map;
    for (const key of (more as MapValue).keys()) {
      result = insert(result, key, (more as MapValue).get(key) ?? null);
      if (result instanceof CelError) return result;
    }
    return result;
  }),
];

function insert(map: Value, key: Value, value: Value): Value {
  return (map as Entries).with(key, value) ?? new CelError(`insert failed: key ${showKey(key)} already exists`);
}
