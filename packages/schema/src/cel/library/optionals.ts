/** Values that may not be there. */
import { type Library, overload } from '../language/environment.ts';
import {
  CelError,
  Duration,
  Items,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../language/values.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  // Go's zero time is the first moment of the year 1.
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  return value instanceof Optional && value.value === undefined;
}

/** `optional.of` and its like. */
export const optionals: Library = [
  overload("'optional.of'(V): optional<V>", (value) => new Optional(value)),
  overload("'optional.ofNonZeroValue'(V): optional<V>", (value) => new Optional(isZero(value) ? undefined : value)),
  overload("'optional.none'(): optional<V>", () => new Optional(undefined)),
  overload("'optional.unwrap'(list<optional<V>>): list<V>", unwrap),
  overload('list<optional<V>>.unwrapOpt(): list<V>', unwrap),
  overload(
    'optional<V>.value(): V',
    (value) => (value as Optional).value ?? new CelError('optional.none() dereference'),
  ),
  overload('optional<V>.hasValue(): bool', (value) => (value as Optional).value !== undefined),
  // These look at their argument only if they must, which the evaluator sees to.
  overload('optional<V>.or(optional<V>): optional<V>', () => noSuchOverload()),
  overload('optional<V>.orValue(V): V', () => noSuchOverload()),
];

function unwrap(list: Value): Value {
  const items: Value[] = [];
  for (const item of list as ListValue) {
    if (!(item instanceof Optional)) return noSuchOverload();
    if (item.value !== undefined) items.push(item.value);
  }
  return new Items(items);
}
