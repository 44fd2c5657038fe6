/** What a schema says about values, compiled once for the checks. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { type Format, formatOf, isCheckedFormat } from '../formats/formats.ts';
import { type RegularExpression, regularExpression } from '../formats/regular-expression.ts';
import { isSchema, itemsOf } from '../tree/schema-node.ts';

/** A schema as the checks need it. */
export interface ValueSchema {
  /** None in an alternative, two for int-or-string. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  /** The format's name where the API server checks it, else ''. */
  readonly format: string;
  readonly isOfFormat: Format | undefined;
  readonly pattern: RegularExpression | undefined;
  readonly limits: Limits;
  readonly enum: readonly unknown[] | undefined;
  readonly hasAlternatives: boolean;
  readonly allOf: readonly ValueSchema[];
  readonly anyOf: readonly ValueSchema[];
  readonly oneOf: readonly ValueSchema[];
  readonly not: ValueSchema | undefined;
  readonly items: ValueSchema | undefined;
  readonly properties: ReadonlyMap<string, ValueSchema>;
  readonly additional: ValueSchema | boolean | undefined;
  readonly required: readonly string[];
}

/** Keywords that are numbers, as the schema has them. */
type Limits = Pick<
  JSONSchemaProps,
  | 'exclusiveMaximum'
  | 'exclusiveMinimum'
  | 'maximum'
  | 'minimum'
  | 'multipleOf'
  | 'maxItems'
  | 'minItems'
  | 'maxLength'
  | 'minLength'
  | 'maxProperties'
  | 'minProperties'
  | 'pattern'
>;

/**
 * The server checks defaults by another form of the schema than objects: there, int-or-string says nothing about types,
 * and formats that it does not know still have a say in what type a value has.
 */
export type Purpose = 'objects' | 'defaults';

/** Compiles a schema for the checks. */
export function compileValues(schema: JSONSchemaProps, purpose: Purpose = 'objects'): ValueSchema {
  const { type, format = '', pattern = '', additionalProperties } = schema;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true && purpose === 'objects';
  const isChecked = purpose === 'defaults' || isCheckedFormat(format, isIntOrString ? undefined : type);
  const hasFormat = format !== '' && isChecked;
  const compileAll = (schemas: readonly JSONSchemaProps[] = []) => schemas.map((each) => compileValues(each, purpose));
  const expression = pattern === '' ? undefined : regularExpression(pattern);
  const items = itemsOf(schema);
  return {
    types: isIntOrString ? ['integer', 'string'] : type === undefined || type === '' ? [] : [type],
    isNullable: schema.nullable === true,
    format: hasFormat ? format : '',
    isOfFormat: hasFormat ? formatOf(format) : undefined,
    // A pattern that is no regular expression is refused when the CRD is written.
    pattern: expression === undefined || 'problem' in expression ? undefined : expression,
    limits: schema,
    enum: schema.enum !== undefined && schema.enum.length > 0 ? schema.enum : undefined,
    hasAlternatives: [schema.allOf, schema.anyOf, schema.oneOf, schema.not].some((each) => each !== undefined),
    allOf: compileAll(schema.allOf),
    anyOf: compileAll(schema.anyOf),
    oneOf: compileAll(schema.oneOf),
    not: schema.not === undefined ? undefined : compileValues(schema.not, purpose),
    items: items === undefined ? undefined : compileValues(items, purpose),
    properties: new Map(
      Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compileValues(field, purpose)]),
    ),
    additional: isSchema(additionalProperties) ? compileValues(additionalProperties, purpose) : additionalProperties,
    required: schema.required ?? [],
  };
}
