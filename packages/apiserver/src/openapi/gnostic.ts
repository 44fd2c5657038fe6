/**
 * An OpenAPI document of version 2 in the protobuf form that Go's clients ask for: gnostic's messages.
 *
 * Promises: what kubectl reads out of it is what the JSON says. Values that OpenAPI leaves open (defaults, enums,
 * extensions) are YAML in these messages; ours are JSON, which YAML includes.
 */
import { isObject, type JsonObject } from '../object.ts';

type Encode = (value: unknown) => Buffer;
/** The number of a field, how its value is written, and whether it is a list of such values. */
type Field = readonly [number: number, type: 'string' | 'boolean' | 'integer' | 'double' | Encode, many?: 'many'];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** Zero values are left out, as in every protobuf message of this generation. */
function field([number, type]: Field, value: unknown): Buffer {
  if (typeof type === 'function') return delimited(number, type(value));
  if (!value) return Buffer.alloc(0);
  switch (type) {
    case 'string':
      return delimited(number, Buffer.from(String(value)));
    case 'boolean':
      return Buffer.concat([varint(number * 8), varint(1)]);
    case 'integer':
      return Buffer.concat([varint(number * 8), varint(Number(value))]);
    case 'double':
      return Buffer.concat([varint(number * 8 + 1), double(Number(value))]);
    default:
      return type satisfies never;
  }
}

const any: Encode = (value) => delimited(2, Buffer.from(JSON.stringify(value)));

/** A map is a list of names with their values. */
const named = (number: number, value: Encode, entries: JsonObject): Buffer =>
  Buffer.concat(
    Object.entries(entries).map(([name, inner]) =>
      delimited(number, Buffer.concat([field([1, 'string'], name), delimited(2, value(inner))])),
    ),
  );
const map =
  (value: Encode): Encode =>
  (entries) =>
    named(1, value, entries as JsonObject);

/** A message with these fields, by the name of the member in JSON; members that begin with `x-` are extensions. */
function message(fields: () => Readonly<Record<string, Field>>, extensions?: number): Encode {
  let known: Readonly<Record<string, Field>> | undefined;
  return (value) => {
    known ??= fields();
    const parts: Buffer[] = [];
    const extra: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value as JsonObject)) {
      const found = Object.hasOwn(known, name) ? known[name] : undefined;
      if (found !== undefined) {
        for (const each of found[2] === 'many' ? (inner as readonly unknown[]) : [inner])
          parts.push(field(found, each));
      } else if (name.startsWith('x-')) extra[name] = inner;
    }
    if (extensions !== undefined) parts.push(named(extensions, any, extra));
    return Buffer.concat(parts);
  };
}

const strings: Encode = (value) =>
  Buffer.concat((Array.isArray(value) ? value : [value]).map((each) => delimited(1, Buffer.from(String(each)))));

const schema: Encode = message(
  () => ({
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, any],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'boolean'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'boolean'],
    maxLength: [11, 'integer'],
    minLength: [12, 'integer'],
    pattern: [13, 'string'],
    maxItems: [14, 'integer'],
    minItems: [15, 'integer'],
    uniqueItems: [16, 'boolean'],
    maxProperties: [17, 'integer'],
    minProperties: [18, 'integer'],
    required: [19, 'string', 'many'],
    enum: [20, any, 'many'],
    additionalProperties: [
      21,
      (value) => (isObject(value) ? delimited(1, schema(value)) : Buffer.from([16, Number(value)])),
    ],
    type: [22, strings],
    items: [23, (value) => delimited(1, schema(value))],
    allOf: [24, schema, 'many'],
    properties: [25, map(schema)],
    example: [30, any],
  }),
  31,
);

const bodyParameter = message(
  () => ({
    description: [1, 'string'],
    name: [2, 'string'],
    in: [3, 'string'],
    required: [4, 'boolean'],
    schema: [5, schema],
  }),
  6,
);

const common = {
  required: [1, 'boolean'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
} as const;
const pathParameter = message(
  () => ({ ...common, type: [5, 'string'], format: [6, 'string'], uniqueItems: [19, 'boolean'] }),
  22,
);
const queryParameter = message(
  () => ({ ...common, type: [6, 'string'], format: [7, 'string'], uniqueItems: [20, 'boolean'] }),
  23,
);

const parameter: Encode = (value) => {
  const place = (value as JsonObject).in;
  if (place === 'body') return delimited(1, bodyParameter(value));
  return delimited(2, place === 'path' ? delimited(4, pathParameter(value)) : delimited(3, queryParameter(value)));
};

const reference = message(() => ({ $ref: [1, 'string'], description: [2, 'string'] }));
const parameterOrReference: Encode = (value) =>
  '$ref' in (value as JsonObject) ? delimited(2, reference(value)) : delimited(1, parameter(value));

const response = message(
  () => ({ description: [1, 'string'], schema: [2, (value) => delimited(1, schema(value))] }),
  5,
);

const operation = message(
  () => ({
    tags: [1, 'string', 'many'],
    description: [3, 'string'],
    operationId: [5, 'string'],
    produces: [6, 'string', 'many'],
    consumes: [7, 'string', 'many'],
    parameters: [8, parameterOrReference, 'many'],
    responses: [9, map((value) => delimited(1, response(value)))],
    schemes: [10, 'string', 'many'],
    deprecated: [11, 'boolean'],
  }),
  13,
);

const pathItem = message(
  () => ({
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, parameterOrReference, 'many'],
  }),
  10,
);

const keySecurity = message(
  () => ({ type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] }),
  5,
);

const document = message(
  () => ({
    swagger: [1, 'string'],
    info: [2, message(() => ({ title: [1, 'string'], version: [2, 'string'] }))],
    paths: [8, (value) => named(2, pathItem, value as JsonObject)],
    definitions: [9, map(schema)],
    parameters: [10, map(parameter)],
    security: [12, map(strings), 'many'],
    securityDefinitions: [13, map((value) => delimited(2, keySecurity(value)))],
  }),
  16,
);

/** The document as gnostic's message `openapi.v2.Document`. */
export const gnosticDocument = (value: JsonObject): Buffer => document(value);
