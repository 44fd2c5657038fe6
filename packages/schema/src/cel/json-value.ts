/** JSON as expressions see it: converted by its schema when it is looked at, never before. */
import { equalJson, isObject } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { parseAnyDuration } from '../formats/duration.ts';
import { parseTime } from '../formats/time.ts';
import { listMapKey } from '../tree/list-map-key.ts';
import { isSchema, itemsOf } from '../tree/schema-node.ts';
import { isInteger } from '../wording/go-text.ts';
import { asResourceSchema } from './declared-type.ts';
import { isEqual } from './language/equality.ts';
import { escapeName, isKeyword, unescapeName } from './language/escape-name.ts';
import { CelError, Duration, Items, keyText, ListValue, MapValue, Timestamp, type Value } from './language/values.ts';

/** A JSON value as CEL sees it, by its schema: nothing is copied, parts are made when they are asked for. */
export function jsonValue(json: unknown, schema: JSONSchemaProps): Value {
  if (json === null || json === undefined) {
    return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof json === 'string') return json;
    return isInteger(json)
      ? BigInt(json)
      : new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (!isObject(json)) return new CelError('invalid data, expected a map for the provided schema with type=object');
      return new JsonMap(json, schema['x-kubernetes-embedded-resource'] ? asResourceSchema(schema) : schema);
    case 'array':
      if (!Array.isArray(json))
        return new CelError('invalid data, expected an array for the provided schema with type=array');
      return jsonList(json, schema);
    case 'string':
      return typeof json === 'string' ? jsonString(json, schema.format) : unexpected('string', json);
    case 'number':
      return typeof json === 'number' || typeof json === 'bigint' ? Number(json) : unexpected('float', json);
    case 'integer':
      return isInteger(json) ? BigInt(json) : unexpected('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : unexpected('bool', json);
    default:
      // Values without a type cannot be reached by expressions.
      return new CelError(`invalid type, got ${schema.type ?? ''}`);
  }
}

function unexpected(wanted: string, json: unknown): CelError {
  const kinds: Readonly<Record<string, string>> = {
    boolean: 'bool',
    string: 'string',
    object: 'map[string]interface {}',
  };
  const found = isInteger(json) ? 'int64' : Array.isArray(json) ? '[]interface {}' : (kinds[typeof json] ?? 'float64');
  return new CelError(`invalid data, expected ${wanted}, got ${found}`);
}

function jsonString(text: string, format: string | undefined): Value {
  if (format === 'byte') {
    // The format is checked with the usual alphabet, and read with the one for URLs.
    const wrong = text.search(/[+/]/);
    return wrong < 0
      ? Buffer.from(text, 'base64url')
      : new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
  }
  if (format === 'duration') {
    const nanos = parseAnyDuration(text);
    return nanos === undefined
      ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
      : new Duration(nanos);
  }
  if (format !== 'date' && format !== 'date-time') return text;
  const time = parseTime(format === 'date' ? `${text}T00:00:00Z` : text);
  return 'problem' in time
    ? new CelError(`Invalid ${format} formatted string ${text}: ${time.problem}`)
    : new Timestamp(time);
}

class JsonMap extends MapValue {
  override readonly isStrict = true;
  readonly #json: Readonly<Record<string, unknown>>;
  readonly #schema: JSONSchemaProps;

  constructor(json: Readonly<Record<string, unknown>>, schema: JSONSchemaProps) {
    super();
    this.#json = json;
    this.#schema = schema;
  }

  get #isObject(): boolean {
    return this.#schema.properties !== undefined;
  }

  #schemaOf(name: string): JSONSchemaProps | undefined {
    const { properties, additionalProperties } = this.#schema;
    if (properties !== undefined) return Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isSchema(additionalProperties) ? additionalProperties : undefined;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return new CelError('no such overload');
    const name = this.#isObject && !isKeyword(key) ? unescapeName(key) : key;
    return name === undefined ? undefined : this.#field(name);
  }

  #field(name: string): Value | undefined {
    const schema = this.#schemaOf(name);
    if (schema === undefined || !Object.hasOwn(this.#json, name)) return undefined;
    const value = this.#json[name];
    // A field that is null is absent; a value of a map that is null is null.
    return this.#isObject && value === null ? undefined : jsonValue(value, schema);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.#json)) {
      if (this.#schemaOf(name) !== undefined) yield this.#isObject ? (escapeName(name) ?? name) : name;
    }
  }

  /** Fields without a schema are compared as they are. */
  override equals(other: MapValue): boolean | CelError | undefined {
    if (!(other instanceof JsonMap)) return undefined;
    if (this.size !== other.size) return false;
    for (const name of Object.keys(this.#json)) {
      if (this.#schemaOf(name) === undefined || this.#schemaOf(name)?.type === undefined) {
        if (Object.hasOwn(other.#json, name) && !equalJson(this.#json[name], other.#json[name])) return false;
        continue;
      }
      const [left, right] = [this.#field(name), other.#field(name)];
      if (left === undefined && right === undefined) continue;
      if (left === undefined || right === undefined) return false;
      const equal = isEqual(left, right);
      if (equal !== true) return equal;
    }
    return true;
  }
}

class JsonList extends ListValue {
  override readonly isStrict = true;
  readonly json: readonly unknown[];
  readonly items: JSONSchemaProps;

  constructor(json: readonly unknown[], items: JSONSchemaProps) {
    super();
    this.json = json;
    this.items = items;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return jsonValue(this.json[index], this.items);
  }
}

function jsonList(json: readonly unknown[], schema: JSONSchemaProps): Value {
  const items = itemsOf(schema);
  if (items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema');
  if (schema['x-kubernetes-list-type'] === 'set') return new SetList(json, items);
  if (schema['x-kubernetes-list-type'] !== 'map') return new JsonList(json, items);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return new MapList(json, items, keys);
}

/** The order of a set does not matter, and adding to it adds what is not there yet. */
class SetList extends JsonList {
  #keys(): ReadonlySet<string | undefined> {
    return new Set([...this].map(keyText));
  }

  override equals(other: ListValue): boolean {
    const own = this.#keys();
    return this.size === other.size && [...other].every((item) => own.has(keyText(item)));
  }

  override plus(other: ListValue): ListValue {
    const own = this.#keys();
    return new SetList([...this.json, ...[...other].filter((item) => !own.has(keyText(item)))], this.items);
  }
}

/** A list that is a map: its order does not matter, and adding to it replaces what has the same key. */
class MapList extends JsonList {
  readonly #keys: readonly string[];

  constructor(json: readonly unknown[], items: JSONSchemaProps, keys: readonly string[]) {
    super(json, items);
    this.#keys = keys;
  }

  #byKey(list: JsonList): ReadonlyMap<string | undefined, unknown> {
    return new Map(list.json.map((item) => [listMapKey(item, this.#keys), item]));
  }

  override equals(other: ListValue): boolean | CelError | undefined {
    if (!(other instanceof JsonList)) return undefined;
    if (this.size !== other.size) return false;
    const own = this.#byKey(this);
    for (const [key, item] of this.#byKey(other)) {
      if (!own.has(key)) return false;
      const equal = isEqual(jsonValue(own.get(key), this.items), jsonValue(item, this.items));
      if (equal !== true) return equal;
    }
    return true;
  }

  override plus(other: ListValue): ListValue {
    if (!(other instanceof JsonList)) return new Items([...this, ...other]);
    const merged = new Map([...this.#byKey(this), ...this.#byKey(other)]);
    return new MapList([...merged.values()], this.items, this.#keys);
  }
}
