/** What the API server refuses at a place of a schema besides its structure: keywords, and what lists and maps are. */
import type { JSONSchemaProps, ValidationRule } from '@keelson/core/apiextensions/v1';
import { fieldPath } from '../tree/field-path.ts';
import { itemsOf } from '../tree/schema-node.ts';
import { forbiddenField, invalidValue, type Problem, required, unsupportedValue } from '../wording/problem.ts';
import { unconvertible } from './convertible.ts';
import { internalItems } from './internal-form.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What is known of where a schema stands. */
export interface Context {
  /** Why there can be no default here. */
  readonly forbidsDefaults: string | undefined;
  /** Whether this is metadata of a resource, or inside. */
  readonly isMeta: boolean;
}

/** Keywords that a CRD cannot have, here. */
export function keywordProblems(
  schema: JSONSchemaProps,
  { forbidsDefaults, isMeta }: Context,
  field: string,
): readonly Problem[] {
  const { type = '', additionalProperties, properties = {} } = schema;
  const problems: Problem[] = [];
  const refuse = (name: string, isThere: boolean, detail = `${name} is not supported`) => {
    if (isThere) problems.push(forbiddenField(`${field}.${name}`, detail));
  };
  if (type !== '' && !types.includes(type)) problems.push(unsupportedValue(`${field}.type`, type, types));
  refuse(
    'default',
    (schema.default ?? undefined) !== undefined && forbidsDefaults !== undefined,
    `must not be set ${forbidsDefaults}`,
  );
  refuse('id', schema.id !== undefined && schema.id !== '');
  refuse('additionalItems', schema.additionalItems !== undefined);
  refuse('patternProperties', hasFields(schema.patternProperties));
  refuse('definitions', hasFields(schema.definitions));
  refuse('dependencies', schema.dependencies !== undefined);
  refuse('$ref', schema.$ref !== undefined);
  refuse('type', type === 'null', 'type cannot be set to null, use nullable as an alternative');
  refuse(
    'items',
    Array.isArray(schema.items) && schema.items.length > 0,
    'items must be a schema object and not an array',
  );
  refuse(
    'x-kubernetes-embedded-resource',
    isMeta && schema['x-kubernetes-embedded-resource'] === true,
    'must not be used inside of resource meta',
  );
  refuse(
    'uniqueItems',
    schema.uniqueItems === true,
    'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
  );
  const hasBoth = additionalProperties !== undefined && additionalProperties !== true && hasFields(properties);
  refuse('additionalProperties', hasBoth, 'additionalProperties and properties are mutual exclusive');
  return problems;
}

function hasFields(object: object | undefined): boolean {
  return Object.keys(object ?? {}).length > 0;
}

/** A type that another keyword needs. */
function typeProblem(schema: JSONSchemaProps, wanted: string, keyword: string, field: string): Problem {
  const detail = `must be ${wanted} if ${keyword} is specified`;
  return schema.type === undefined || schema.type === ''
    ? required(`${field}.type`, detail)
    : invalidValue(`${field}.type`, schema.type, detail);
}

/** What is wrong with the extensions of Kubernetes at a schema. */
export function extensionProblems(schema: JSONSchemaProps, field: string): readonly Problem[] {
  const { type } = schema;
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const problems: Problem[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    problems.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (mapType !== undefined && type !== 'object')
    problems.push(typeProblem(schema, 'object', 'x-kubernetes-map-type', field));
  if (mapType !== undefined && !['atomic', 'granular'].includes(mapType)) {
    problems.push(unsupportedValue(`${field}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  if (listType !== undefined && type !== 'array')
    problems.push(typeProblem(schema, 'array', 'x-kubernetes-list-type', field));
  else if (listType === 'set') problems.push(...setProblems(itemsOf(schema), `${field}.items`));
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    problems.push(unsupportedValue(`${field}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  const needsMap = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (keys.length > 0 && listType === undefined) problems.push(required(`${field}.x-kubernetes-list-type`, needsMap));
  else if (keys.length > 0 && listType !== 'map') {
    problems.push(invalidValue(`${field}.x-kubernetes-list-type`, listType, needsMap));
  }
  if (listType === 'map') problems.push(...mapListProblems(schema, keys, field));
  if (listType === 'map' || listType === 'set')
    problems.push(...absentKeyProblems(itemsOf(schema), listType, keys, `${field}.items`));
  return problems;
}

/** Items of a set are compared as a whole. */
function setProblems(items: JSONSchemaProps | undefined, field: string): readonly Problem[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidValue(`${field}.x-kubernetes-list-type`, listType, detail)];
  }
  // The list's type is shown where the map's is meant.
  return items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic'
    ? [invalidValue(`${field}.x-kubernetes-map-type`, listType ?? null, detail)]
    : [];
}

function mapListProblems(schema: JSONSchemaProps, keys: readonly string[], field: string): readonly Problem[] {
  const items = itemsOf(schema);
  const problems: Problem[] = [];
  if (keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    problems.push(required(`${field}.x-kubernetes-list-map-keys`, detail));
  }
  if (schema.items === undefined)
    problems.push(required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  if (Array.isArray(schema.items)) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    problems.push(invalidValue(`${field}.items`, internalItems(schema.items), detail));
  }
  if (items === undefined) return problems;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, invalidValue(`${field}.items.type`, items.type ?? '', detail)];
  }
  for (const [i, key] of keys.entries()) {
    const found = items.properties?.[key];
    if (found === undefined) {
      const detail = 'entries must all be names of item properties';
      problems.push(invalidValue(`${field}.x-kubernetes-list-map-keys`, keys, detail));
    } else if (found.type === 'array' || found.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(invalidValue(`${field}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) < i) {
      problems.push(invalidValue(`${field}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries'));
    }
  }
  return problems;
}

/** A key that may be absent or null tells nothing apart. */
function absentKeyProblems(
  items: JSONSchemaProps | undefined,
  listType: string,
  keys: readonly string[],
  field: string,
): readonly Problem[] {
  if (items === undefined) return [];
  const problems: Problem[] = [];
  if (items.nullable)
    problems.push(forbiddenField(`${field}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  const reason = 'this property is in x-kubernetes-list-map-keys, so it';
  for (const key of listType === 'map' ? keys : []) {
    const found = items.properties?.[key];
    if (found === undefined) continue;
    const place = `${field}.properties[${key}]`;
    if (!items.required?.includes(key) && (found.default ?? undefined) === undefined) {
      problems.push(required(`${place}.default`, `${reason} must have a default or be a required property`));
    }
    if (found.nullable) problems.push(forbiddenField(`${place}.nullable`, `${reason} cannot be nullable`));
  }
  return problems;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** What is wrong with a rule, apart from its expressions. */
export function ruleProblems(rule: ValidationRule, schema: JSONSchemaProps, field: string): readonly Problem[] {
  const { message = '', messageExpression = '', reason, fieldPath: path = '' } = rule;
  const hasBreak = (text: string) => /[\n\r]/.test(text);
  const problems: Problem[] = [];
  if (rule.rule.trim() === '') problems.push(required(`${field}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    problems.push(invalidValue(`${field}.message`, message, 'must be non-empty if specified'));
  } else if (hasBreak(message.trim()))
    problems.push(invalidValue(`${field}.message`, message, 'must not contain line breaks'));
  else if (hasBreak(rule.rule.trim()) && message.trim() === '') {
    problems.push(required(`${field}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    problems.push(required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason))
    problems.push(unsupportedValue(`${field}.reason`, reason, reasons));
  if (path !== '' && path.trim() === '')
    problems.push(invalidValue(`${field}.fieldPath`, path, 'must be non-empty if specified'));
  if (hasBreak(path)) problems.push(invalidValue(`${field}.fieldPath`, path, 'must not contain line breaks'));
  // The server cannot tell where the schema has no structural form.
  if (path !== '' && 'problem' in fieldPath(path, schema) && unconvertible(schema) === undefined) {
    problems.push(invalidValue(`${field}.fieldPath`, path, 'must be a valid path'));
  }
  return problems;
}
