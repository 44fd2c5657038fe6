/**
 * The built-in types as Go declares them (data/go-types.json.gz), compiled on first use.
 *
 * The real server decodes every built-in object into these and encodes it from them, which decides what a stored object
 * looks like: `replicas: 0` stays, for it is a pointer, and `minReadySeconds: 0` goes, for it is not.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../data-file.ts';

export type GoType =
  | { readonly type: 'string' | 'bool' | 'float' | 'bytes'; readonly go: string }
  | { readonly type: 'int'; readonly go: string; readonly bits: 32 | 64 }
  | { readonly type: 'time' | 'microTime' | 'quantity' | 'intOrString' | 'duration'; readonly go: string }
  /** Any JSON: raw extensions, field sets, the JSON of CRD schemas. */
  | { readonly type: 'any'; readonly go: string }
  /** In the schemas of CRDs: a schema, or something else. */
  | { readonly type: 'schemaOr'; readonly go: string; readonly or: 'array' | 'boolean'; readonly item: GoType }
  | { readonly type: 'list' | 'map'; readonly go: string; readonly item: GoType }
  | {
      readonly type: 'struct';
      readonly go: string;
      readonly name: string;
      readonly fields: ReadonlyMap<string, GoField>;
    };

export interface GoField {
  readonly value: GoType;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

let declared: Readonly<Record<string, string | Readonly<Record<string, string>>>> | undefined;
const structs = new Map<string, GoType>();

const declarations = () => {
  declared ??= JSON.parse(gunzipSync(readFileSync(dataFile('data/go-types.json.gz'))).toString()) as NonNullable<
    typeof declared
  >;
  return declared;
};

/** The type of an OpenAPI schema name such as `io.k8s.api.core.v1.Pod`; `undefined` when there is none. */
export function goType(name: string): GoType | undefined {
  return declarations()[name] === undefined ? undefined : resolve(name);
}

/** What Go prints for a type of a package: `v1.PodSpec`. */
const short = (name: string): string => name.split('.').slice(-2).join('.');

const primitives: Readonly<Record<string, GoType>> = {
  string: { type: 'string', go: 'string' },
  bool: { type: 'bool', go: 'bool' },
  int: { type: 'int', go: 'int', bits: 64 },
  int32: { type: 'int', go: 'int32', bits: 32 },
  int64: { type: 'int', go: 'int64', bits: 64 },
  uint64: { type: 'int', go: 'uint64', bits: 64 },
  float64: { type: 'float', go: 'float64' },
  any: { type: 'any', go: 'interface {}' },
};

/** Types that encode themselves, by the end of their name. */
const special: readonly (readonly [RegExp, GoType['type']])[] = [
  [/\.meta\.v1\.Time$/, 'time'],
  [/\.meta\.v1\.MicroTime$/, 'microTime'],
  [/\.meta\.v1\.Duration$/, 'duration'],
  [/\.Quantity$/, 'quantity'],
  [/\.IntOrString$/, 'intOrString'],
  [/\.(?:FieldsV1|RawExtension|JSON)$/, 'any'],
];

function resolve(text: string): GoType {
  const primitive = primitives[text];
  if (primitive !== undefined) return primitive;
  if (text === '[]byte') return { type: 'bytes', go: '[]uint8' };
  if (text.startsWith('[]')) {
    const item = resolve(text.slice(2));
    return { type: 'list', go: `[]${item.go}`, item };
  }
  const map = /^map\[(?<key>[^\]]+)\](?<value>.+)$/.exec(text)?.groups;
  if (map !== undefined) {
    const item = resolve(map.value ?? '');
    return {
      type: 'map',
      go: `map[${(map.key ?? '').includes('.') ? short(map.key ?? '') : map.key}]${item.go}`,
      item,
    };
  }
  const known = structs.get(text);
  if (known !== undefined) return known;
  const [, schema] = /^(.+\.JSONSchemaProps)Or\w+$/.exec(text) ?? [];
  if (schema !== undefined) {
    return {
      type: 'schemaOr',
      go: short(text),
      or: text.endsWith('Bool') ? 'boolean' : 'array',
      item: resolve(schema),
    };
  }
  const own = special.find(([pattern]) => pattern.test(text));
  if (own !== undefined) return { type: own[1], go: short(text) } as GoType;
  const declaration = declarations()[text];
  if (declaration === undefined) throw new Error(`the Go type ${text} is unknown`);
  if (typeof declaration === 'string') {
    // A named type: the errors of Go's decoder call it by its own name.
    const named = { ...resolve(declaration), go: short(text) } as GoType;
    structs.set(text, named);
    return named;
  }
  const fields = new Map<string, GoField>();
  const struct: GoType = { type: 'struct', go: short(text), name: text.slice(text.lastIndexOf('.') + 1), fields };
  structs.set(text, struct); // before its fields, which may lead back to it
  for (const [name, field] of Object.entries(declaration)) {
    const [type = '', ...flags] = field.split(',');
    const pointer = type.startsWith('*');
    fields.set(name, {
      value: resolve(pointer ? type.slice(1) : type),
      pointer,
      omitEmpty: flags.includes('omitempty'),
      omitZero: flags.includes('omitzero'),
    });
  }
  return struct;
}
