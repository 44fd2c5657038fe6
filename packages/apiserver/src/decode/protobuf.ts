/**
 * Kubernetes' protobuf encoding, into the JSON value that it stands for.
 *
 * Go clients send built-in objects in it and understand answers in JSON, so it is only read. The message types come from
 * data/protobuf.json.gz, which is loaded when the first such body arrives; what Go does with empty values is done to
 * JSON and protobuf alike, afterwards.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { microTimestamp, timestamp } from '@keelson/core';
import { dataFile } from '../data-file.ts';
import { isObject, type JsonObject, setMember } from '../object.ts';
import { assertDepth } from './depth.ts';
import { goType } from './go-types.ts';

/** The bytes are not what they claim to be. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

type Message = Readonly<Record<string, readonly [name: string, type: string]>>;

let messages: Readonly<Record<string, Message>> | undefined;

function messageOf(name: string): Message {
  messages ??= JSON.parse(gunzipSync(readFileSync(dataFile('data/protobuf.json.gz'))).toString()) as NonNullable<
    typeof messages
  >;
  const found = messages[name];
  if (found === undefined) throw new ProtobufError(`no message ${name} is known`);
  return found;
}

const prefix = Buffer.from('k8s\0');
const envelope = 'io.k8s.apimachinery.pkg.runtime.Unknown';

/** Reads a body whose content is a message of `schemaName`; the kind and version that it names come with it. */
export function readProtobuf(body: Buffer, schemaName: (apiVersion: string, kind: string) => string): JsonObject {
  if (!body.subarray(0, prefix.length).equals(prefix)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const { typeMeta, raw } = fields(body.subarray(prefix.length), envelope) as {
    readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
    readonly raw?: string;
  };
  const { apiVersion = '', kind = '' } = typeMeta ?? {};
  const content = Buffer.from(raw ?? '', 'base64');
  const value = fields(content, schemaName(apiVersion, kind)) as JsonObject;
  return { ...(apiVersion !== '' && { apiVersion }), ...(kind !== '' && { kind }), ...value };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new ProtobufError('integer overflow');
  }

  delimited(): Buffer {
    return this.take(Number(this.varint()));
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new ProtobufError('unexpected EOF');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** A value of an unknown field. */
  skip(wire: number): void {
    if (wire === 0) this.varint();
    else if (wire === 1) this.take(8);
    else if (wire === 2) this.delimited();
    else if (wire === 5) this.take(4);
    else throw new ProtobufError(`illegal wireType ${wire}`);
  }
}

/** What a message stands for in JSON: most are objects of their fields, some are something else. */
function fields(bytes: Buffer, type: string): unknown {
  const reader = new Reader(bytes);
  const message = messageOf(type);
  const result: Record<string, unknown> = {};
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const known = message[String(tag >> 3)];
    if (known === undefined) {
      reader.skip(tag & 7);
      continue;
    }
    const [field, written] = known;
    put(result, type, field, written, reader, tag & 7);
  }
  const own = special[shortName(type)];
  return own === undefined ? result : own(result);
}

const shortName = (type: string): string => type.slice(type.lastIndexOf('.') + 1);

function put(
  result: Record<string, unknown>,
  type: string,
  field: string,
  written: string,
  reader: Reader,
  wire: number,
): void {
  const name = jsonName(type, field);
  if (written.startsWith('list ')) {
    const list = (result[name ?? field] ?? []) as unknown[];
    list.push(single(written.slice(5), reader, wire));
    result[name ?? field] = list;
    return;
  }
  if (written.startsWith('map ')) {
    const entry = new Reader(reader.delimited());
    let key = '';
    let value: unknown = written === 'map string' || written === 'map bytes' ? '' : {};
    while (!entry.isAtEnd) {
      const tag = Number(entry.varint());
      if (tag >> 3 === 1) key = entry.delimited().toString();
      else value = single(written.slice(4), entry, tag & 7);
    }
    result[name ?? field] ??= {};
    setMember(result[name ?? field] as Record<string, unknown>, key, value);
    return;
  }
  const value = single(written, reader, wire);
  // A struct that Go embeds is a message of its own here, and part of its parent in JSON.
  if (name === undefined && isObject(value)) Object.assign(result, value);
  else result[name ?? field] = value;
}

const jsonNames = new Map<string, string | undefined>();

/** The name of a field in JSON; `undefined` for an embedded struct. */
function jsonName(type: string, field: string): string | undefined {
  const key = `${type} ${field}`;
  if (!jsonNames.has(key)) jsonNames.set(key, findJsonName(type, field));
  return jsonNames.get(key);
}

function findJsonName(type: string, field: string): string | undefined {
  const struct = goType(type);
  if (struct?.type !== 'struct' || type === envelope || struct.fields.has(field)) return field;
  const wanted = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const candidates = [wanted, `$${field}`];
  for (const name of struct.fields.keys()) {
    if (candidates.includes(name) || name.toLowerCase() === field.toLowerCase()) return name;
  }
  return undefined;
}

function single(type: string, reader: Reader, wire: number): unknown {
  switch (type) {
    case 'string':
      return reader.delimited().toString();
    case 'bytes':
      return reader.delimited().toString('base64');
    case 'bool':
      return reader.varint() !== 0n;
    case 'int32':
    case 'int64':
    case 'uint64':
      return Number(reader.varint());
    case 'double':
      return reader.take(8).readDoubleLE();
    default:
      if (wire !== 2) throw new ProtobufError(`wrong wireType = ${wire} for a message`);
      return fields(reader.delimited(), type);
  }
}

/** JSON in a message. */
function parsed(raw: unknown): unknown {
  if (typeof raw !== 'string' || raw === '') return null;
  const text = Buffer.from(raw, 'base64').toString();
  try {
    const value: unknown = JSON.parse(text);
    assertDepth(text);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ProtobufError(`invalid JSON: ${summary(text)}`);
  }
}

const summary = (text: string): string => (text.length > 30 ? `${text.slice(0, 30)} ...` : text);

const wallMs = ({
  seconds = 0,
  nanos = 0,
}: {
  readonly seconds?: number;
  readonly nanos?: number;
}): number | undefined => (seconds === 0 && nanos === 0 ? undefined : seconds * 1000 + nanos / 1_000_000);

/** Messages that are no objects in JSON; null is what JSON has for absent. */
const special: Readonly<Record<string, (value: Record<string, unknown>) => unknown>> = {
  Quantity: ({ string: text }) => text ?? '0',
  IntOrString: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0)),
  Time: (value) => {
    const at = wallMs(value);
    return at === undefined ? null : timestamp(at);
  },
  MicroTime: (value) => {
    const at = wallMs(value);
    if (at === undefined) return null;
    const micros = String(Math.trunc(Number(value.nanos ?? 0) / 1000)).padStart(6, '0');
    return `${microTimestamp(at).slice(0, 19)}.${micros}Z`;
  },
  Duration: ({ duration }) => `${Number(duration ?? 0) / 1_000_000_000}s`,
  // Garbage is kept as it is: no fields can be read out of it, and the write goes on without them.
  FieldsV1: ({ Raw }) => {
    try {
      return parsed(Raw) ?? {};
    } catch (error) {
      if (error instanceof ProtobufError) return Raw;
      throw error;
    }
  },
  RawExtension: ({ raw }) => parsed(raw),
  JSON: ({ raw }) => parsed(raw),
  ExtraValue: ({ items }) => items ?? [],
  Verbs: ({ items }) => items ?? [],
  JSONSchemaPropsOrBool: ({ allows, schema }) => schema ?? allows ?? false,
  JSONSchemaPropsOrArray: ({ schema, jSONSchemas }) => schema ?? jSONSchemas ?? [],
  JSONSchemaPropsOrStringArray: ({ schema, property }) => schema ?? property ?? [],
};
