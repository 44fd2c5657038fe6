/**
 * What keeps a schema from being structural, or its extensions from being accepted, by the rules of the API server.
 *
 * A schema made from zod is structural by construction; what its author adds with `.meta()` need not be.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { Place } from './place.ts';

const scalars: readonly (string | undefined)[] = ['string', 'integer', 'number', 'boolean'];

const junctors = ['allOf', 'anyOf', 'oneOf'] as const;

const valuesAlone: readonly (keyof JSONSchemaProps)[] = [
  'type',
  'title',
  'description',
  'default',
  'nullable',
  'additionalProperties',
  'x-kubernetes-validations',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

export function refuseNonStructural(schema: JSONSchemaProps, place: Place): void {
  refuseType(schema, place);
  refuseListType(schema, place);
  refuseRules(schema, place);
  const { type, properties, additionalProperties, items } = schema;
  if (schema['x-kubernetes-map-type'] !== undefined && type !== 'object') {
    place.refuse('x-kubernetes-map-type is for objects');
  }
  if (properties !== undefined && additionalProperties !== undefined) {
    place.refuse('a structural schema has named fields or any fields, not both');
  }
  for (const [name, field] of Object.entries(properties ?? {})) refuseNonStructural(field, place.field(name));
  if (typeof additionalProperties === 'object') refuseNonStructural(additionalProperties, place.values());
  const element = elementOf(items);
  if (element !== undefined) refuseNonStructural(element, place.items());
  for (const alternative of alternativesOf(schema)) refuseNested(alternative, schema, place);
}

function refuseType(schema: JSONSchemaProps, place: Place): void {
  const { type, items } = schema;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (type === undefined && !isIntOrString && !schema['x-kubernetes-preserve-unknown-fields'])
    place.refuse('it has no type');
  if (type !== undefined && isIntOrString) {
    place.refuse(
      `x-kubernetes-int-or-string is for a field without a type of its own: use z.union([z.int32(), z.string()])`,
    );
  }
  if (type === 'array' && elementOf(items) === undefined) place.refuse('the items of a list have one schema');
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') {
    place.refuse('x-kubernetes-embedded-resource is for objects: use z.looseObject({})');
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] && type !== undefined && type !== 'object') {
    place.refuse(
      'x-kubernetes-preserve-unknown-fields is for objects and for values of any type: use z.looseObject() or z.unknown()',
    );
  }
}

function refuseListType(schema: JSONSchemaProps, place: Place): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== undefined && schema.type !== 'array') {
    place.refuse('x-kubernetes-list-type is for lists');
    return;
  }
  if (keys.length > 0 !== (listType === 'map')) {
    place.refuse('a list of the type "map" has x-kubernetes-list-map-keys, and no other list has them');
  }
  const element = elementOf(schema.items);
  if (listType === 'set' && !scalars.includes(element?.type) && !isAtomic(element)) {
    place.refuse('the items of a set are compared as a whole: use scalars, or say that they are atomic');
  }
  for (const key of listType === 'map' ? keys : []) {
    const field = element?.properties?.[key];
    if (!scalars.includes(field?.type)) place.refuse(`the key "${key}" is no scalar field of the items`);
    else if (!element?.required?.includes(key) && field?.default === undefined) {
      place.refuse(`the key "${key}" may be absent: take off .optional(), or give it a .default()`);
    }
  }
}

function isAtomic(schema: JSONSchemaProps | undefined): boolean {
  return schema?.['x-kubernetes-map-type'] === 'atomic' || schema?.['x-kubernetes-list-type'] === 'atomic';
}

function refuseRules(schema: JSONSchemaProps, place: Place): void {
  for (const { rule, message } of schema['x-kubernetes-validations'] ?? []) {
    if (rule.trim() === '') place.refuse('a rule is empty');
    if (message !== undefined && (message.trim() === '' || message.includes('\n'))) {
      place.refuse(`the message of the rule ${rule} is not one line of text`);
    }
    if (message === undefined && rule.includes('\n')) place.refuse('a rule of several lines needs a message');
  }
}

/** Alternatives say something about values; what a field is, and that it is there, stands outside of them. */
function refuseNested(nested: JSONSchemaProps, outer: JSONSchemaProps | undefined, place: Place): void {
  for (const key of valuesAlone) if (nested[key] !== undefined) place.refuse(`${key} cannot stand in an alternative`);
  for (const [name, field] of Object.entries(nested.properties ?? {})) {
    const declared = outer?.properties?.[name];
    if (declared === undefined) place.field(name).refuse('an alternative names it, and the schema does not');
    refuseNested(field, declared, place.field(name));
  }
  const element = elementOf(nested.items);
  if (element !== undefined) refuseNested(element, elementOf(outer?.items), place.items());
  for (const alternative of alternativesOf(nested)) refuseNested(alternative, outer, place);
}

function alternativesOf(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  return [...junctors.flatMap((junctor) => schema[junctor] ?? []), ...(schema.not === undefined ? [] : [schema.not])];
}

function elementOf(items: JSONSchemaProps['items']): JSONSchemaProps | undefined {
  return Array.isArray(items) ? undefined : (items as JSONSchemaProps | undefined);
}
