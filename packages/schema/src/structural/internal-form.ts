/** Schemas and rules as the API server shows them in messages: its internal structs, with all their fields. */
import type { JSONSchemaProps, ValidationRule } from '@keelson/core/apiextensions/v1';
import { isSchema } from '../tree/schema-node.ts';
import { goJson, Verbatim } from '../wording/go-text.ts';

/** A rule as messages show it. */
export function internalRule(rule: ValidationRule): Verbatim {
  return new Verbatim(struct(ruleFields(rule)));
}

/** A schema as messages show it. */
export function internalSchema(schema: JSONSchemaProps): Verbatim {
  return new Verbatim(schemaText(schema));
}

/** The items of a list as messages show them. */
export function internalItems(items: NonNullable<JSONSchemaProps['items']>): Verbatim {
  return new Verbatim(itemsText(items));
}

/** Names and JSON texts, in the order of the struct. */
type Fields = readonly (readonly [string, string])[];

function struct(fields: Fields): string {
  return `{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

function ruleFields(rule: ValidationRule): Fields {
  return [
    ['Rule', goJson(rule.rule)],
    ['Message', goJson(rule.message ?? '')],
    ['MessageExpression', goJson(rule.messageExpression ?? '')],
    ['Reason', goJson(rule.reason ?? null)],
    ['FieldPath', goJson(rule.fieldPath ?? '')],
    ['OptionalOldSelf', goJson(rule.optionalOldSelf ?? null)],
  ];
}

function schemaText(schema: JSONSchemaProps): string {
  const value = (name: keyof JSONSchemaProps, none: unknown) => goJson(schema[name] ?? none);
  const schemas = (list: readonly JSONSchemaProps[] | undefined) =>
    list === undefined ? 'null' : `[${list.map(schemaText).join(',')}]`;
  return struct([
    ['ID', value('id', '')],
    ['Schema', value('$schema', '')],
    ['Ref', value('$ref', null)],
    ['Description', value('description', '')],
    ['Type', value('type', '')],
    ['Nullable', value('nullable', false)],
    ['Format', value('format', '')],
    ['Title', value('title', '')],
    ['Default', value('default', null)],
    ['Maximum', value('maximum', null)],
    ['ExclusiveMaximum', value('exclusiveMaximum', false)],
    ['Minimum', value('minimum', null)],
    ['ExclusiveMinimum', value('exclusiveMinimum', false)],
    ['MaxLength', value('maxLength', null)],
    ['MinLength', value('minLength', null)],
    ['Pattern', value('pattern', '')],
    ['MaxItems', value('maxItems', null)],
    ['MinItems', value('minItems', null)],
    ['UniqueItems', value('uniqueItems', false)],
    ['MultipleOf', value('multipleOf', null)],
    ['Enum', value('enum', null)],
    ['MaxProperties', value('maxProperties', null)],
    ['MinProperties', value('minProperties', null)],
    ['Required', value('required', null)],
    ['Items', schema.items === undefined ? 'null' : itemsText(schema.items)],
    ['AllOf', schemas(schema.allOf)],
    ['OneOf', schemas(schema.oneOf)],
    ['AnyOf', schemas(schema.anyOf)],
    ['Not', schema.not === undefined ? 'null' : schemaText(schema.not)],
    ['Properties', named(schema.properties)],
    ['AdditionalProperties', orBool(schema.additionalProperties)],
    ['PatternProperties', named(schema.patternProperties)],
    ['Dependencies', value('dependencies', null)],
    ['AdditionalItems', orBool(schema.additionalItems)],
    ['Definitions', named(schema.definitions)],
    ['ExternalDocs', externalDocs(schema.externalDocs)],
    ['Example', value('example', null)],
    ['XPreserveUnknownFields', value('x-kubernetes-preserve-unknown-fields', null)],
    ['XEmbeddedResource', value('x-kubernetes-embedded-resource', false)],
    ['XIntOrString', value('x-kubernetes-int-or-string', false)],
    ['XListMapKeys', value('x-kubernetes-list-map-keys', null)],
    ['XListType', value('x-kubernetes-list-type', null)],
    ['XMapType', value('x-kubernetes-map-type', null)],
    ['XValidations', rulesText(schema['x-kubernetes-validations'])],
  ]);
}

function itemsText(items: NonNullable<JSONSchemaProps['items']>): string {
  const list = Array.isArray(items) ? `[${items.map(schemaText).join(',')}]` : 'null';
  return struct([
    ['Schema', isSchema(items) ? schemaText(items) : 'null'],
    ['JSONSchemas', list],
  ]);
}

function orBool(value: JSONSchemaProps['additionalProperties']): string {
  if (value === undefined) return 'null';
  return struct([
    ['Allows', isSchema(value) ? 'true' : String(value)],
    ['Schema', isSchema(value) ? schemaText(value) : 'null'],
  ]);
}

function named(schemas: JSONSchemaProps['properties']): string {
  if (schemas === undefined) return 'null';
  return struct(
    Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, schemaText(schema)]),
  );
}

function externalDocs(docs: JSONSchemaProps['externalDocs']): string {
  if (docs === undefined) return 'null';
  return struct([
    ['Description', goJson(docs.description ?? '')],
    ['URL', goJson(docs.url ?? '')],
  ]);
}

function rulesText(rules: readonly ValidationRule[] | undefined): string {
  return rules === undefined ? 'null' : `[${rules.map((rule) => struct(ruleFields(rule))).join(',')}]`;
}
