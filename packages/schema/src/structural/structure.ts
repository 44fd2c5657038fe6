/** What keeps a schema from being structural, in the words of the API server. */

import { equalJson } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { regularExpression } from '../formats/regular-expression.ts';
import { isSchema, itemsOf } from '../tree/schema-node.ts';
import { compareBytes } from '../wording/go-text.ts';
import { forbiddenField, invalidValue, type Problem, problemText, required } from '../wording/problem.ts';

type Level = 'root' | 'items' | 'field';

/** Sorted by their texts. */
export function structureProblems(schema: JSONSchemaProps, field: string): readonly Problem[] {
  return [...invariants(schema, 'root', field), ...completeness(schema, schema, field, field)].sort((a, b) =>
    compareBytes(problemText(a), problemText(b)),
  );
}

const noType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function invariants(schema: JSONSchemaProps, level: Level, field: string): readonly Problem[] {
  const { type = '', properties = {}, additionalProperties } = schema;
  const items = itemsOf(schema);
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const problems: Problem[] = [];
  if (type === 'array' && schema.items === undefined) problems.push(required(`${field}.items`, 'must be specified'));
  if (items !== undefined) problems.push(...invariants(items, 'items', `${field}.items`));
  for (const [name, each] of Object.entries(properties)) {
    problems.push(...invariants(each, 'field', `${field}.properties[${name}]`));
  }
  if (additionalProperties !== undefined && level === 'root') {
    problems.push(forbiddenField(`${field}.additionalProperties`, 'must not be used at the root'));
  }
  if (isSchema(additionalProperties)) {
    problems.push(...invariants(additionalProperties, 'field', `${field}.additionalProperties`));
  }
  const onlyAlone = 'must be false if x-kubernetes-int-or-string is true';
  if (isIntOrString && preserves) {
    problems.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, true, onlyAlone));
  }
  if (isIntOrString && isEmbedded)
    problems.push(invalidValue(`${field}.x-kubernetes-embedded-resource`, true, onlyAlone));
  problems.push(...valueProblems(schema, intOrStringExceptions(schema), field));
  if (isEmbedded) problems.push(...embeddedProblems(schema, field));
  else if (type === '' && !isIntOrString && !preserves) problems.push(required(`${field}.type`, noType[level]));
  if (level === 'root' && type !== '' && type !== 'object') {
    problems.push(invalidValue(`${field}.type`, type, 'must be object at the root'));
  }
  if (level === 'root' || isEmbedded) problems.push(...metaProblems(properties, level, field));
  return problems;
}

function embeddedProblems(schema: JSONSchemaProps, field: string): readonly Problem[] {
  const { type = '', properties = {}, additionalProperties } = schema;
  const wanted = 'must be object if x-kubernetes-embedded-resource is true';
  const problems: Problem[] = [];
  if (type === '') problems.push(required(`${field}.type`, wanted));
  else if (type !== 'object') problems.push(invalidValue(`${field}.type`, type, wanted));
  if (additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    problems.push(forbiddenField(`${field}.additionalProperties`, detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    problems.push(required(`${field}.properties`, detail));
  }
  return problems;
}

function metaProblems(
  properties: NonNullable<JSONSchemaProps['properties']>,
  level: Level,
  field: string,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [name, wanted] of [
    ['kind', 'string'],
    ['apiVersion', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const found = properties[name];
    if (found === undefined || found.type === wanted) continue;
    problems.push(invalidValue(`${field}.properties[${name}].type`, found.type ?? '', `must be ${wanted}`));
  }
  if (level === 'root' && properties.metadata !== undefined && !saysOnlyNames(properties.metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    problems.push(forbiddenField(`${field}.properties[metadata]`, detail));
  }
  return problems;
}

/** Of metadata, a schema can say something about the names alone. */
function saysOnlyNames(metadata: JSONSchemaProps): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const names = Object.keys(properties);
  return names.every((name) => name === 'name' || name === 'generateName') && equalJson(rest, {});
}

/** Where types may stand in alternatives: the two forms that say "an integer or a string". */
interface Exceptions {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const integerOrString = [{ type: 'integer' }, { type: 'string' }];

function intOrStringExceptions({ anyOf, allOf }: JSONSchemaProps): Exceptions {
  return { anyOf: equalJson(anyOf, integerOrString), firstAllOf: equalJson(allOf?.[0]?.anyOf, integerOrString) };
}

function valueProblems(schema: JSONSchemaProps, exceptions: Exceptions, field: string): readonly Problem[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  const problems: Problem[] = [];
  const plain = { anyOf: false, firstAllOf: false };
  if (!exceptions.anyOf) {
    for (const [i, each] of anyOf.entries()) problems.push(...nestedProblems(each, plain, `${field}.anyOf[${i}]`));
  }
  for (const [i, each] of allOf.entries()) {
    const isException = exceptions.firstAllOf && i === 0;
    problems.push(...nestedProblems(each, { anyOf: isException, firstAllOf: false }, `${field}.allOf[${i}]`));
  }
  for (const [i, each] of oneOf.entries()) problems.push(...nestedProblems(each, plain, `${field}.oneOf[${i}]`));
  if (not !== undefined) problems.push(...nestedProblems(not, plain, `${field}.not`));
  const expression = pattern === '' ? undefined : regularExpression(pattern);
  if (expression !== undefined && 'problem' in expression) {
    const detail = `must be a valid regular expression, but isn't: ${expression.problem}`;
    problems.push(invalidValue(`${field}.pattern`, pattern, detail));
  }
  return problems;
}

/** What alternatives cannot say: they are about values, and the structure stands outside of them. */
const structural: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedProblems(schema: JSONSchemaProps, exceptions: Exceptions, field: string): readonly Problem[] {
  const problems: Problem[] = [...valueProblems(schema, exceptions, field)];
  const plain = { anyOf: false, firstAllOf: false };
  const items = itemsOf(schema);
  if (items !== undefined) problems.push(...nestedProblems(items, plain, `${field}.items`));
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    problems.push(...nestedProblems(each, plain, `${field}.properties[${name}]`));
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    problems.push(forbiddenField(`${field}.additionalProperties`, 'must be undefined to be structural'));
  }
  for (const [name, detail] of structural) {
    const value = schema[name];
    const isSaid = Array.isArray(value)
      ? value.length > 0
      : value !== undefined && value !== null && value !== '' && value !== false;
    if (isSaid) problems.push(forbiddenField(`${field}.${name}`, detail));
  }
  if (schema.properties?.metadata !== undefined) {
    problems.push(forbiddenField(`${field}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return problems;
}

// The real server looks only at the alternatives of the root, whatever its documentation says.
function completeness(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps,
  field: string,
  nestedField: string,
): readonly Problem[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = nested;
  const inside = (each: JSONSchemaProps, place: string) =>
    nestedCompleteness(each, schema, field, `${nestedField}.${place}`);
  return [
    ...(not === undefined ? [] : inside(not, 'not')),
    ...allOf.flatMap((each, i) => inside(each, `allOf[${i}]`)),
    ...anyOf.flatMap((each, i) => inside(each, `anyOf[${i}]`)),
    ...oneOf.flatMap((each, i) => inside(each, `oneOf[${i}]`)),
  ];
}

function nestedCompleteness(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  field: string,
  nestedField: string,
): readonly Problem[] {
  if (schema === undefined) return [required(field, `because it is defined in ${nestedField}`)];
  const items = itemsOf(nested);
  return [
    ...completeness(nested, schema, field, nestedField),
    ...(items === undefined
      ? []
      : nestedCompleteness(items, itemsOf(schema), `${field}.items`, `${nestedField}.items`)),
    ...Object.entries(nested.properties ?? {}).flatMap(([name, each]) => {
      const place = `.properties[${name}]`;
      return nestedCompleteness(each, schema.properties?.[name], `${field}${place}`, `${nestedField}${place}`);
    }),
  ];
}
