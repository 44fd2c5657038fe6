/** The types of values, and whether a function takes them. */
import type { Overload } from './environment.ts';
import { nameOf, type Type } from './types.ts';
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  StructValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

/** As `type(value)` names it. */
export function typeName(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof ListValue) return 'list';
  if (value instanceof StructValue) return value.name;
  if (value instanceof MapValue) return 'map';
  return value instanceof OpaqueValue ? nameOf(value.type) : 'error';
}

const names: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
  // Objects of a schema are maps when they run.
  struct: 'map',
};

/** Whether an overload takes these values. */
export function accepts({ args }: Overload, values: readonly Value[]): boolean {
  return args.length === values.length && args.every((type, i) => acceptsValue(type, values[i] ?? null));
}

function acceptsValue(type: Type, value: Value): boolean {
  if (type.kind === 'param' || type.kind === 'dyn') return true;
  if (value instanceof CelError) return false;
  const name = typeName(value);
  if (type.kind === 'struct' || type.kind === 'opaque') return name === type.name;
  return name === (names[type.kind] ?? type.kind);
}
