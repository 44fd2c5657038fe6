/** Functions for lists. */

import { assertAffordable } from '../language/budget.ts';
import {
  exactly,
  listCost,
  one,
  perCharacter,
  plus,
  type Range,
  type Sized,
  scaled,
  times,
  unknown,
} from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { compare, isEqual } from '../language/equality.ts';
import {
  CelError,
  Duration,
  Items,
  ListValue,
  MapValue,
  Optional,
  sizeOf,
  Uint,
  type Value,
} from '../language/values.ts';

/** The first that fits an empty list decides what it is taken for. */
const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const summable: readonly (readonly [string, Value])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

/** A walk over everything inside: one step for each value, and texts by their bytes. */
function traversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perCharacter);
  if (value instanceof ListValue) return [...value].reduce((sum: number, item) => sum + traversal(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return [...value.keys()].reduce((sum: number, key) => sum + traversal(key) + traversal(value.get(key) ?? null), 0);
}

const walk = {
  cost: (args: readonly Value[]) => traversal(args[0] ?? null),
  estimate: (list: Sized) => {
    const item = list.type.kind === 'list' ? list.type.params[0].kind : 'dyn';
    const each = item === 'string' || item === 'bytes' ? plus(one, scaled(list.itemSize, perCharacter)) : one;
    return { cost: times(list.size, each) };
  },
};

function isSorted(list: Value): Value {
  const items = [...(list as ListValue)];
  return items.every((item, i) => {
    const order = i === 0 ? 0 : compare(items[i - 1] ?? null, item);
    return !(typeof order === 'number' && order > 0);
  });
}

function sum(zero: Value) {
  return (list: Value): Value => {
    let total = zero;
    for (const item of list as ListValue) {
      if (item instanceof CelError) return item;
      total = add(total, item);
      if (total instanceof CelError) return total;
    }
    return total;
  };
}

function add(a: Value, b: Value): Value {
  if (typeof a === 'number') return a + (b as number);
  if (a instanceof Uint) {
    const value = a.value + (b as Uint).value;
    return BigInt.asUintN(64, value) === value ? new Uint(value) : new CelError('unsigned integer overflow');
  }
  const value = a instanceof Duration ? a.nanos + (b as Duration).nanos : (a as bigint) + (b as bigint);
  if (BigInt.asIntN(64, value) !== value) return new CelError('integer overflow');
  return a instanceof Duration ? new Duration(value) : value;
}

function extreme(name: 'min' | 'max') {
  return (list: Value): Value => {
    let found: Value | undefined;
    for (const item of list as ListValue) {
      if (item instanceof CelError) return item;
      const order = found === undefined ? 0 : compare(found, item);
      if (order instanceof CelError) return order;
      if (found === undefined || (name === 'min' ? order > 0 : order < 0)) found = item;
    }
    return found ?? new CelError(`${name} called on empty list`);
  };
}

function indexOf(list: Value, wanted: Value): Value {
  return BigInt([...(list as ListValue)].findIndex((item) => isEqual(item, wanted) === true));
}

function lastIndexOf(list: Value, wanted: Value): Value {
  return BigInt([...(list as ListValue)].findLastIndex((item) => isEqual(item, wanted) === true));
}

function slice(list: Value, start: Value, end: Value): Value {
  const [from, to, items] = [start as bigint, end as bigint, list as ListValue];
  const refuse = (why: string) => new CelError(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return refuse('negative indexes not supported');
  if (from > to) return refuse('start index must be less than or equal to end index');
  if (BigInt(items.size) < to) return refuse(`list is length ${items.size}`);
  return new Items([...items].slice(Number(from), Number(to)));
}

function flatten(list: Value, depth: Value = 1n): Value {
  if ((depth as bigint) < 0n) return new CelError('level must be non-negative');
  const flat = (items: ListValue, level: bigint): readonly Value[] =>
    [...items].flatMap((item) => (item instanceof ListValue && level > 0n ? flat(item, level - 1n) : [item]));
  return new Items(flat(list as ListValue, depth as bigint));
}

function distinct(list: Value): Value {
  const kept: Value[] = [];
  for (const item of list as ListValue) if (!kept.some((each) => isEqual(each, item) === true)) kept.push(item);
  return new Items(kept);
}

function range(count: Value): Value {
  assertAffordable(Number(count));
  return new Items(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function sortBy(list: Value, keys: Value): Value {
  const [items, by] = [list as ListValue, keys as ListValue];
  if (items.size !== by.size)
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${by.size} and ${items.size} elements respectively`,
    );
  const order = [...items].map((item, i) => ({ item, key: by.at(i) }));
  const kinds = new Set(order.map(({ key }) => typeof key));
  if (kinds.size > 1) return new CelError('list elements must have the same type');
  return new Items(
    order
      .sort((a, b) => {
        const found = compare(a.key, b.key);
        return typeof found === 'number' ? found : 0;
      })
      .map(({ item }) => item),
  );
}

/** A call, a new list, and so and so much for each item that is looked at. */
const making = (factor: number, items: Range) => plus(exactly(1 + listCost), scaled(items, factor));
const made = (factor: number, items: number): number => 1 + listCost + Math.trunc(items * factor);

const rebuilt = {
  cost: (_: readonly Value[], result: Value) => made(1, sizeOf(result)),
  estimate: (list: Sized) => ({ cost: making(1, list.size), size: list.size }),
};

/** Each item is compared with each other one; texts take longer. */
const compared = (by: 0 | 1) => {
  const factor = (isText: boolean) => (isText ? 2 + perCharacter : 2);
  return {
    cost: (args: readonly Value[]) => {
      const list = args[by] as ListValue;
      const first = list.size > 0 ? list.at(0) : null;
      return made(factor(typeof first === 'string' || first instanceof Uint8Array), list.size ** 2);
    },
    estimate: (...args: readonly Sized[]) => {
      const { size, type } = args[by] as Sized;
      const item = type.kind === 'list' ? type.params[0].kind : 'dyn';
      const squared = times(size, size);
      return { cost: making(factor(item === 'string' || item === 'bytes'), squared), size: squared };
    },
  };
};

const flattened = {
  cost: (args: readonly Value[]) => made(Number(args[1] ?? 1), sizeOf(args[0] ?? null)),
  estimate: (list: Sized, depth?: Sized) => ({
    cost: making(depth === undefined ? 1 : wholeNumber(depth, unknown.max), list.size),
    size: list.size,
  }),
};

const distinctEstimate = ({ size }: Sized) => ({ cost: making(2, times(size, size)), size: times(size, size) });

const wholeNumber = (arg: Sized | undefined, otherwise: number): number =>
  typeof arg?.literal === 'bigint' ? Math.max(0, Number(arg.literal)) : otherwise;

/** `sum`, `sort`, `slice` and the other functions for lists. */
export const lists: Library = [
  ...comparable.map((type) => overload(`list<${type}>.isSorted(): bool`, isSorted, walk)),
  ...summable.map(([type, zero]) => overload(`list<${type}>.sum(): ${type}`, sum(zero), walk)),
  ...comparable.map((type) => overload(`list<${type}>.max(): ${type}`, extreme('max'), walk)),
  ...comparable.map((type) => overload(`list<${type}>.min(): ${type}`, extreme('min'), walk)),
  overload('list<A>.indexOf(A): int', indexOf, walk),
  overload('list<A>.lastIndexOf(A): int', lastIndexOf, walk),
  overload('list<T>.slice(int, int): list<T>', slice, {
    cost: rebuilt.cost,
    estimate: (list, start, end) => {
      const size = exactly(wholeNumber(end, list.size.max) - wholeNumber(start, 0));
      return { cost: making(1, size), size };
    },
  }),
  overload('list<list<T>>.flatten(): list<T>', flatten, flattened),
  overload('list<dyn>.flatten(int): list<dyn>', flatten, flattened),
  ...comparable.map((type) =>
    overload(`list<${type}>.sort(): list<${type}>`, (list) => sortBy(list, list), compared(0)),
  ),
  ...comparable.map((type) => overload(`list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`, sortBy, compared(1))),
  overload("'lists.range'(int): list<int>", range, {
    cost: rebuilt.cost,
    estimate: (count) => {
      const size = exactly(wholeNumber(count, unknown.max));
      return { cost: making(1, size), size };
    },
  }),
  overload('list<T>.reverse(): list<T>', (list) => new Items([...(list as ListValue)].reverse()), rebuilt),
  overload('list<T>.distinct(): list<T>', distinct, { cost: compared(0).cost, estimate: distinctEstimate }),
  overload(
    'list<T>.first(): optional<T>',
    (list) => new Optional((list as ListValue).size > 0 ? (list as ListValue).at(0) : undefined),
  ),
  overload('list<T>.last(): optional<T>', (list) => {
    const { size } = list as ListValue;
    return new Optional(size > 0 ? (list as ListValue).at(size - 1) : undefined);
  }),
];
