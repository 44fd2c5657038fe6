/**
 * OpenAPI documents in, model out.
 *
 * Refuses what it does not understand: a guess would become a wrong type that nobody notices.
 */
import { type Endpoints, endpointsOf } from './endpoints.ts';
import type { Facts } from './facts.ts';
import type { Declaration, KindDeclaration, Model, ObjectDeclaration, Property, Type } from './model.ts';
import { moduleOf, namer } from './names.ts';
import type { Documents, Schema } from './openapi.ts';
import { isList, schemasOf, typeOf } from './schemas.ts';

export function buildModel(documents: Documents, facts: Facts): Model {
  const schemas = schemasOf(documents);
  const nameOf = namer(schemas);
  const endpoints = new Map(
    endpointsOf(documents).map((found) => [keyOf(moduleOf(found.kind), found.kind.kind), found]),
  );

  const reference = (schemaName: string): Type => {
    if (!schemas.has(schemaName)) throw new Error(`${schemaName} is referred to, but in no document`);
    const { module, name } = nameOf(schemaName);
    const key = keyOf(module, name);
    // An object inside another (a StatefulSet's volumeClaimTemplates) is about to be written; it has no uid.
    return facts.inlined[key] ?? { type: 'reference', module, name: endpoints.has(key) ? `New${name}` : name };
  };

  const propertiesOf = (key: string, { properties = {}, required = [] }: Schema): readonly Property[] =>
    Object.entries(properties).map(([name, property]) => ({
      name,
      description: property.description,
      type: typeOf(property, `${key}.${name}`, reference),
      isRequired: required.includes(name),
      hasDefault: property.default !== undefined,
      isNullable: facts.nullable[key]?.includes(name) ?? false,
      isWriteOnly: facts.writeOnly[key]?.includes(name) ?? false,
    }));

  const declarationOf = (key: string, name: string, schema: Schema): Declaration => {
    const { description } = schema;
    const alias = facts.aliases[key];
    if (alias !== undefined) return { type: 'alias', name, description, to: alias };
    if (schema.properties === undefined) {
      return { type: 'alias', name, description, to: typeOf(schema, key, reference) };
    }
    const object: ObjectDeclaration = { type: 'object', name, description, properties: propertiesOf(key, schema) };
    const found = endpoints.get(key);
    return found === undefined ? object : kindOf(object, found, facts.answers[key]);
  };

  const modules = new Map<string, Declaration[]>();
  const known = new Set<string>();
  for (const [schemaName, schema] of schemas) {
    if (isList(schema)) continue;
    const { module, name } = nameOf(schemaName);
    const key = keyOf(module, name);
    if (known.has(key)) throw new Error(`two schemas would become ${key}`);
    known.add(key);
    for (const property of Object.keys(schema.properties ?? {})) known.add(`${key}.${property}`);
    if (key in facts.inlined) continue;
    if (!modules.has(module)) modules.set(module, []);
    modules.get(module)?.push(declarationOf(key, name, schema));
  }
  for (const key of [...endpoints.keys(), ...keysOf(facts)]) {
    if (!known.has(key)) throw new Error(`${key} has an endpoint or an entry in facts.ts, but no schema`);
  }
  return {
    modules: [...modules]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, all]) => ({
        path,
        declarations: all.sort((a, b) => (a.name < b.name ? -1 : 1)),
      })),
  };
}

function kindOf(
  { name, description, properties }: ObjectDeclaration,
  { kind, actions, resource }: Endpoints,
  answer: Type | undefined,
): KindDeclaration {
  return {
    type: 'kind',
    name,
    description,
    group: kind.group,
    version: kind.version,
    properties: properties.filter((property) => !['apiVersion', 'kind', 'metadata'].includes(property.name)),
    resource,
    isStored: actions.has('get') && actions.has('post'),
    isWritten: resource === undefined || actions.has('post'),
    answer,
  };
}

function keyOf(module: string, name: string): string {
  return `${module}/${name}`;
}

function keysOf({ nullable, writeOnly, ...facts }: Facts): readonly string[] {
  return [
    ...Object.values(facts).flatMap((entries) => Object.keys(entries)),
    ...[nullable, writeOnly]
      .flatMap(Object.entries<readonly string[]>)
      .flatMap(([key, properties]) => properties.map((property) => `${key}.${property}`)),
  ];
}
