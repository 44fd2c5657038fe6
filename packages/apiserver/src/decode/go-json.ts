/**
 * Decodes a JSON value into a built-in type and encodes it again, as Go does: in one pass, from plain value to plain value.
 *
 * Promises: unknown members are dropped and listed; a value of the wrong type is refused in Go's words; empty values that
 * Go leaves out are gone, and those that it writes are there; quantities and times are in their canonical form.
 */
import { parseQuantity, printQuantity, QuantityError, roundUpQuantity } from '@keelson/core';
import { isObject, type JsonObject, setMember } from '../object.ts';
import type { GoField, GoType } from './go-types.ts';

/** The body is JSON, but not an object of this type. */
export class GoJsonError extends Error {
  override readonly name = 'GoJsonError';
}

export interface GoDecoded {
  readonly value: JsonObject;
  /** Paths of members that the type does not have, such as `spec.template.spec.containers[0].imge`. */
  readonly unknown: readonly string[];
}

/** `type` must be a struct. */
export function decodeGo(value: JsonObject, type: GoType): GoDecoded {
  const unknown: string[] = [];
  const decoded = read(value, type, { struct: '', path: '', dotted: '' }, unknown);
  return { value: decoded as JsonObject, unknown };
}

interface FieldLocation {
  /** The innermost struct, which Go's errors name. */
  readonly struct: string;
  /** With indexes, for unknown fields. */
  readonly path: string;
  /** Without, for type errors. */
  readonly dotted: string;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function mismatch(value: unknown, type: GoType, { struct, dotted }: FieldLocation, shown = kindOf(value)): GoJsonError {
  const where = struct === '' ? 'Go value' : `Go struct field ${struct}.${dotted}`;
  return new GoJsonError(`json: cannot unmarshal ${shown} into ${where} of type ${type.go}`);
}

/** `value` is not null; the result is `undefined` for a schema's items that are no schema, and never else. */
function read(value: unknown, type: GoType, place: FieldLocation, unknown: string[]): unknown {
  switch (type.type) {
    case 'string':
      if (typeof value !== 'string') throw mismatch(value, type, place);
      return value;
    case 'bool':
      if (typeof value !== 'boolean') throw mismatch(value, type, place);
      return value;
    case 'float':
      if (typeof value !== 'number') throw mismatch(value, type, place);
      if (!Number.isFinite(value)) throw mismatch(value, type, place, `number ${value}`);
      return value;
    case 'int':
      if (typeof value !== 'number') throw mismatch(value, type, place);
      if (!Number.isInteger(value) || (type.bits === 32 && Math.abs(value) > 0x7fffffff)) {
        throw mismatch(value, type, place, `number ${value}`);
      }
      return value;
    case 'bytes':
      if (typeof value !== 'string') throw mismatch(value, type, place);
      return readBase64(value);
    case 'any':
      return value;
    case 'time':
    case 'microTime':
      return readTime(value, type.type === 'time' ? 0 : 6);
    case 'duration':
      if (typeof value !== 'string') throw mismatch(value, type, place);
      return value;
    case 'quantity':
      return readQuantity(value);
    case 'intOrString':
      if (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))) return value;
      throw mismatch(value, type, place);
    case 'schemaOr':
      return readSchemaOr(value, type, place);
    case 'list':
      if (!Array.isArray(value)) throw mismatch(value, type, place);
      return value.map((item, index) =>
        item === null ? zero(type.item) : read(item, type.item, { ...place, path: `${place.path}[${index}]` }, unknown),
      );
    case 'map': {
      if (!isObject(value)) throw mismatch(value, type, place);
      const isResources = type.go === 'v1.ResourceList';
      const result: Record<string, unknown> = {};
      for (const name of Object.keys(value)) {
        const member = value[name];
        if (member === null) setMember(result, name, zero(type.item));
        else if (isResources) setMember(result, name, readQuantity(member, true));
        else setMember(result, name, read(member, type.item, { ...place, path: `${place.path}.${name}` }, unknown));
      }
      return result;
    }
    case 'struct':
      if (!isObject(value)) throw mismatch(value, type, place);
      return readStruct(value, type, place, unknown);
    default:
      return type satisfies never;
  }
}

/** These types read themselves: what they do not know is dropped without a word, even where others are strict. */
function readSchemaOr(
  value: unknown,
  { or, item }: Extract<GoType, { type: 'schemaOr' }>,
  place: FieldLocation,
): unknown {
  if (isObject(value)) return read(value, item, place, []);
  if (or === 'boolean') {
    if (typeof value !== 'boolean') throw new GoJsonError('boolean or JSON schema expected');
    return value;
  }
  if (!Array.isArray(value)) return undefined;
  return value.map((each) => (isObject(each) ? read(each, item, place, []) : each));
}

function readStruct(
  value: JsonObject,
  type: Extract<GoType, { type: 'struct' }>,
  place: FieldLocation,
  unknown: string[],
): JsonObject {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = type.fields.get(name);
    const path = place.path === '' ? name : `${place.path}.${name}`;
    if (field === undefined) {
      unknown.push(path);
      continue;
    }
    const member = value[name];
    if (member === null || member === undefined) continue;
    const dotted = place.dotted === '' ? name : `${place.dotted}.${name}`;
    values[name] = read(member, field.value, { struct: type.name, path, dotted }, unknown);
  }
  const result: Record<string, unknown> = {};
  for (const [name, field] of type.fields) {
    const written = write(values[name], field);
    if (written !== undefined) result[name] = written;
  }
  return result;
}

/** What Go's encoder makes of a field: `undefined` when it leaves it out. */
function write(value: unknown, { value: type, pointer, omitEmpty, omitZero }: GoField): unknown {
  if (value === undefined) {
    if (pointer || type.type === 'list' || type.type === 'map' || type.type === 'any' || type.type === 'bytes') {
      return omitEmpty || omitZero ? undefined : null;
    }
    if (omitZero || (omitEmpty && isScalar(type))) return undefined;
    return zero(type);
  }
  if (pointer) return value;
  if (omitEmpty && isEmpty(value, type)) return undefined;
  if (omitZero && isZero(value)) return undefined;
  return value;
}

const isScalar = ({ type }: GoType): boolean =>
  type === 'string' || type === 'bool' || type === 'int' || type === 'float';

function isEmpty(value: unknown, type: GoType): boolean {
  if (isScalar(type)) return value === '' || value === 0 || value === false;
  if (type.type === 'list') return (value as readonly unknown[]).length === 0;
  if (type.type === 'map') return Object.keys(value as object).length === 0;
  return type.type === 'bytes' && value === '';
}

const isZero = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (isObject(value) && Object.values(value).every(isZero));

/** The zero value of a type as Go encodes it. */
export function zero(type: GoType): unknown {
  switch (type.type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int':
    case 'float':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'time':
    case 'microTime':
    case 'any':
    case 'schemaOr':
    case 'list':
    case 'map':
      return null;
    case 'struct':
      return readStruct({}, type, { struct: '', path: '', dotted: '' }, []);
    default:
      return type satisfies never;
  }
}

function readBase64(value: string): string {
  const illegal = value.search(/[^A-Za-z0-9+/=\r\n]/);
  if (illegal !== -1) throw new GoJsonError(`illegal base64 data at input byte ${illegal}`);
  const text = value.replaceAll(/[\r\n]/g, '');
  if (text.length % 4 !== 0)
    throw new GoJsonError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

function readTime(value: unknown, digits: number): string | null {
  if (typeof value !== 'string')
    throw new GoJsonError(`json: cannot unmarshal ${kindOf(value)} into Go value of type string`);
  if (value === '') return null;
  const wallMs = Date.parse(value);
  const layout = digits === 0 ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?<part>\d+))?(?<zone>Z|[+-]\d\d:\d\d)$/.exec(value);
  if (digits > 0 && match !== null && match.groups?.part?.length !== digits) {
    const { part, zone } = match.groups ?? {};
    const rest = `${part === undefined ? '' : `.${part}`}${zone}`;
    throw new GoJsonError(
      `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ".000000"`,
    );
  }
  if (match === null || Number.isNaN(wallMs)) {
    throw new GoJsonError(
      `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  }
  const seconds = new Date(wallMs).toISOString().slice(0, 19);
  if (digits === 0) return `${seconds}Z`;
  return `${seconds}.${(match.groups?.part ?? '').padEnd(digits, '0').slice(0, digits)}Z`;
}

const badQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Space around it is allowed. In lists of resources, what is less than a thousandth is rounded up. */
function readQuantity(value: unknown, isResource = false): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw new GoJsonError(badQuantity);
  try {
    const quantity = parseQuantity(withoutSpaceAround(text));
    return printQuantity(isResource ? roundUpQuantity(quantity, -3) : quantity);
  } catch (error) {
    throw error instanceof QuantityError ? new GoJsonError(error.problem) : error;
  }
}

/** Not by one pattern for the end: it would look at each space inside for all that follow it. */
function withoutSpaceAround(text: string): string {
  let end = text.length;
  while (end > 0 && /\p{Z}/u.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end).replace(/^\p{Z}+/u, '');
}
