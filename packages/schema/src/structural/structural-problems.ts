/** What the API server refuses in the schemas of a CustomResourceDefinition, and what it warns of. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isCheckedFormat } from '../formats/formats.ts';
import { forbiddenField, invalidValue, type Problem } from '../wording/problem.ts';
import { everySchema, unconvertible } from './convertible.ts';
import { defaultProblems } from './defaults.ts';
import { internalSchema } from './internal-form.ts';
import { TotalCost } from './rule-cost.ts';
import type { RuleJudge } from './rule-judge.ts';
import { schemaProblems } from './schema-walk.ts';
import { structureProblems } from './structure.ts';

/** What is known of the CRD around a schema. */
export interface StructuralOptions {
  /** Whether the CRD's version has a status subresource, which limits what the root can say. @default false */
  readonly hasStatus?: boolean;
}

/**
 * Problems of a schema in a CRD that is created. `field` is where it stands: `spec.versions[0].schema.openAPIV3Schema`,
 * or `spec.validation.openAPIV3Schema` when all versions of the CRD have the same schema (one alone has). Without a
 * judge, rules are not looked at.
 */
export function structuralProblemsBy(
  judge: RuleJudge | undefined,
  schema: JSONSchemaProps,
  field: string,
  { hasStatus = false }: StructuralOptions = {},
): readonly Problem[] {
  const root: Problem[] = hasStatus ? [...statusRootProblems(schema, field)] : [];
  if (schema.nullable) root.push(forbiddenField(`${field}.nullable`, 'nullable cannot be true at the root'));
  const problem = unconvertible(schema);
  const unconverted = problem === undefined ? undefined : invalidValue(field, '', problem);
  const structure = unconverted === undefined ? structureProblems(schema, field) : [];
  const defaults = unconverted === undefined && structure.length === 0 ? defaultProblems(schema, field, judge) : [];
  const isStructural = unconverted === undefined && structure.length === 0 && defaults.length === 0;
  const rules = isStructural && judge !== undefined ? { judge, total: new TotalCost() } : undefined;
  const problems = [...root, ...structure, ...defaults, ...schemaProblems(schema, field, rules)];
  if (problems.length === 0 && unconverted !== undefined) problems.push(unconverted);
  return [...problems, ...(rules?.total.problems(field) ?? [])];
}

/** With a status subresource, the root says nothing that could concern the status. */
const allowedAtRoot: readonly (keyof JSONSchemaProps)[] = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];

function goName(name: string): string {
  return name
    .replace(/^x-kubernetes/, 'X')
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function statusRootProblems(schema: JSONSchemaProps, field: string): readonly Problem[] {
  const { type = '' } = schema;
  if (type !== '' && type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalidValue(`${field}.type`, type, detail)];
  }
  const isAllowed = Object.entries(schema).every(
    ([name, value]) => value === undefined || value === false || (allowedAtRoot as readonly string[]).includes(name),
  );
  if (isAllowed) return [];
  const detail = `only [${allowedAtRoot.map(goName).join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(field, internalSchema(schema), detail)];
}

/** Warnings for a schema in a CRD: formats that are not checked, as `unrecognized format "foo"`. */
export function structuralWarnings(schema: JSONSchemaProps): readonly string[] {
  const formats = [...everySchema(schema)].flatMap((place) => {
    const isIntOrString = place['x-kubernetes-int-or-string'] === true;
    const { format = '', type } = place;
    return format === '' || isCheckedFormat(format, isIntOrString ? undefined : type) ? [] : [format];
  });
  return [...new Set(formats)].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
