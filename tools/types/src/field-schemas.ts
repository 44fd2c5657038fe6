/**
 * Structural schemas of the types that custom resources embed: a pod template, tolerations, resources.
 *
 * A CRD has no references and enforces what it states, so they say less than OpenAPI does: no enums, since the server
 * takes an empty string where it documents one, and later versions take more; and no defaults, since the built-in kind
 * that is made from the field has them. One kind of default stays: a CRD must have one for each key of a map list that
 * may be left out.
 */
import type { FieldFacts } from './field-facts.ts';
import { type Name, namer } from './names.ts';
import type { Documents, Schema } from './openapi.ts';
import { referenceOf, schemasOf } from './schemas.ts';

/** A type that fields can have, with its schema; `$ref` in there names another such type by its key. */
export interface FieldSchema extends Name {
  readonly description?: string | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The types that the facts name as roots and all that they are made of, sorted by key. */
export function fieldSchemasOf(documents: Documents, facts: FieldFacts): readonly FieldSchema[] {
  const schemas = schemasOf(documents);
  const nameOf = namer(schemas);
  const byKey = new Map([...schemas].map(([name, schema]) => [keyOf(nameOf(name)), { ...nameOf(name), schema }]));
  for (const key of [...Object.keys(facts.schemas), ...Object.keys(facts.only)]) {
    if (!byKey.has(key)) throw new Error(`${key} is in field-facts.ts, but no schema`);
  }
  const keys = new Set(facts.roots);
  for (const key of keys) {
    const found = byKey.get(key);
    if (found === undefined) throw new Error(`${key} is in field-facts.ts, but no schema`);
    for (const name of referencesIn(facts.schemas[key] ? {} : embedded(key, found.schema, facts))) {
      keys.add(keyOf(nameOf(name)));
    }
  }
  const chosen = [...keys].sort().map((key) => ({ key, ...(byKey.get(key) as Name & { schema: Schema }) }));
  const optionalKeys = new Set(
    chosen.flatMap(({ schema }) =>
      Object.values(schema.properties ?? {}).flatMap(({ items, 'x-kubernetes-list-map-keys': mapKeys = [] }) => {
        const target = items && referenceOf(items);
        if (target === undefined) return [];
        const key = keyOf(nameOf(target));
        const required = byKey.get(key)?.schema.required ?? [];
        return mapKeys.filter((field) => !required.includes(field)).map((field) => `${key}.${field}`);
      }),
    ),
  );
  return chosen.map(({ key, module, name, schema }) => ({
    module,
    name,
    description: schema.description,
    schema: facts.schemas[key] ?? structural(embedded(key, schema, facts), key, { nameOf, optionalKeys }),
  }));
}

/** The fields that a type has inside another, where these are fewer. */
function embedded(key: string, schema: Schema, { only }: FieldFacts): Schema {
  const names = only[key];
  if (names === undefined) return schema;
  const { properties = {} } = schema;
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, properties[name] ?? {}])) };
}

function referencesIn(schema: Schema): readonly string[] {
  const target = referenceOf(schema);
  const inner = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
  return target === undefined ? inner.flatMap((each) => (each ? referencesIn(each) : [])) : [target];
}

interface Walk {
  readonly nameOf: (schema: string) => Name;
  /** Properties that tell the items of a map list apart and may be left out, as `v1/ContainerPort.protocol`. */
  readonly optionalKeys: ReadonlySet<string>;
}

function structural(schema: Schema, key: string, walk: Walk): Readonly<Record<string, unknown>> {
  const description = firstSentence(schema.description);
  const target = referenceOf(schema);
  if (target !== undefined) return { $ref: keyOf(walk.nameOf(target)), ...(description && { description }) };
  const { type, format, required, properties, items, additionalProperties } = schema;
  if (type === undefined) throw new Error(`${key}: no rule for a schema without a type`);
  return {
    type,
    ...(format !== undefined && { format }),
    ...(description && { description }),
    ...(walk.optionalKeys.has(key) && schema.default !== undefined && { default: schema.default }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, structural(property, `${key}.${name}`, walk)]),
      ),
    }),
    ...(required && { required: required.filter((name) => properties?.[name] !== undefined) }),
    ...(items && { items: structural(items, `${key}[]`, walk) }),
    ...(additionalProperties && { additionalProperties: structural(additionalProperties, `${key}.*`, walk) }),
    ...mergeRules(schema),
  };
}

function mergeRules(schema: Schema): Readonly<Record<string, unknown>> {
  const names = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'] as const;
  return Object.fromEntries(names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])));
}

/** What a CRD holds of a description: all of them are in every list of CRDs that a client makes. */
export function firstSentence(description = ''): string {
  const [paragraph = ''] = description.split('\n\n');
  const text = paragraph.replaceAll(/\s+/g, ' ').trim();
  return /^.*?[^.][.](?= [A-Z])(?<! (?:e\.g|i\.e|etc|vs)[.])/.exec(text)?.[0] ?? text;
}

function keyOf({ module, name }: Name): string {
  return `${module}/${name}`;
}
