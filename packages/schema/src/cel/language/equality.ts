/** Equality and order of values. Numbers are compared by their value, whatever their type. */
import { compareBytes } from '../../wording/go-text.ts';
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

/** Values of different types are not equal. */
export function isEqual(a: Value, b: Value): boolean | CelError {
  if (a === null || b === null) return a === b;
  const numbers = compareNumbers(a, b);
  if (numbers !== undefined) return numbers === 0;
  if (a instanceof ListValue && b instanceof ListValue) return a.equals(b) ?? equalLists(a, b);
  if (a instanceof MapValue && b instanceof MapValue) return a.equals(b) ?? equalMaps(a, b);
  if ((a instanceof ListValue || a instanceof MapValue) && a.isStrict) return noSuchOverload();
  if (a instanceof Timestamp && b instanceof Timestamp) return a.total === b.total;
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos;
  if (a instanceof TypeValue && b instanceof TypeValue) return a.name === b.name;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (a instanceof OpaqueValue && b instanceof OpaqueValue) return a.constructor === b.constructor && a.equals(b);
  if (a instanceof Optional && b instanceof Optional) {
    return a.value === undefined || b.value === undefined ? a.value === b.value : isEqual(a.value, b.value);
  }
  return a === b;
}

function equalLists(a: ListValue, b: ListValue): boolean | CelError {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) {
    const equal = isEqual(a.at(i), b.at(i));
    if (equal !== true) return equal;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean | CelError {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined) return false;
    const equal = isEqual(left, right);
    if (equal !== true) return equal;
  }
  return true;
}

/** Negative, zero or positive; NaN is neither, and gives undefined as values that are no numbers do. */
function compareNumbers(a: Value, b: Value): number | undefined {
  const [left, right] = [numeric(a), numeric(b)];
  if (left === undefined || right === undefined) return undefined;
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}

function numeric(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/** Negative, zero or positive; an error for values that have no order. */
export function compare(a: Value, b: Value): number | CelError {
  const numbers = compareNumbers(a, b);
  if (numbers !== undefined) return Number.isNaN(numbers) ? new CelError('NaN values cannot be ordered') : numbers;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return Number(a.total - b.total);
  if (a instanceof Duration && b instanceof Duration) return Number(a.nanos - b.nanos);
  return noSuchOverload();
}

/** An error if an item cannot be compared and none is equal. */
export function contains(list: ListValue, value: Value): boolean | CelError {
  let error: CelError | undefined;
  for (const item of list) {
    const equal = item instanceof CelError ? item : isEqual(item, value);
    if (equal === true) return true;
    if (equal !== false) error ??= equal;
  }
  return error ?? false;
}
