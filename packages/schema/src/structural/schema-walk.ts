/** The walk over all places of a schema, with what is refused at each. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isSchema, itemsOf } from '../tree/schema-node.ts';
import type { Problem } from '../wording/problem.ts';
import { type Context, extensionProblems, keywordProblems, ruleProblems } from './extensions.ts';
import { childCardinality, type TotalCost } from './rule-cost.ts';
import type { RuleJudge, RulesContext } from './rule-judge.ts';

/** Expressions are compiled only where nothing else is wrong, at this schema or below. */
interface Found {
  readonly schema: readonly Problem[];
  readonly rules: readonly Problem[];
}

interface SchemaContext extends Context {
  readonly isRoot: boolean;
  /** Undefined where rules are not looked at: in alternatives, and when the structure is wrong. */
  readonly rules: (Omit<RulesContext, 'field' | 'isResource'> & { readonly judge: RuleJudge }) | undefined;
}

/** First what is wrong with schemas, then what is wrong with rules, which are not looked at without a judge. */
export function schemaProblems(
  schema: JSONSchemaProps,
  field: string,
  rules: { readonly judge: RuleJudge; readonly total: TotalCost } | undefined,
): readonly Problem[] {
  const found = visit(schema, field, {
    isRoot: true,
    isMeta: false,
    forbidsDefaults: undefined,
    rules: rules && { cardinality: 1, uncorrelated: undefined, ...rules },
  });
  return [...found.schema, ...found.rules];
}

const ofResource = new Set(['metadata', 'kind', 'apiVersion']);

function visit(schema: JSONSchemaProps, field: string, context: SchemaContext): Found {
  const below = [...children(schema, field, context)].map((child) => visit(...child));
  const validations = schema['x-kubernetes-validations'] ?? [];
  const own: Problem[] = [
    ...keywordProblems(schema, context, field),
    ...below.flatMap((found) => found.schema),
    ...extensionProblems(schema, field),
    ...validations.flatMap((rule, i) => ruleProblems(rule, schema, `${field}.x-kubernetes-validations[${i}]`)),
  ];
  const isResource = context.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const compiled =
    own.length === 0 && context.rules !== undefined && validations.length > 0
      ? context.rules.judge.expressionProblems(schema, { ...context.rules, field, isResource })
      : [];
  return { schema: own, rules: [...below.flatMap((found) => found.rules), ...compiled] };
}

type Child = readonly [schema: JSONSchemaProps, field: string, context: SchemaContext];

function* children(schema: JSONSchemaProps, field: string, context: SchemaContext): Iterable<Child> {
  const { properties = {}, additionalProperties, items: element } = schema;
  const inside: SchemaContext = {
    ...context,
    isRoot: false,
    rules: context.rules && { ...context.rules, cardinality: childCardinality(schema, context.rules.cardinality) },
  };
  if (isSchema(additionalProperties)) {
    const reason = context.isMeta ? 'inside additionalProperties applying to object metadata' : context.forbidsDefaults;
    yield [additionalProperties, `${field}.additionalProperties`, { ...inside, forbidsDefaults: reason }];
  }
  for (const [name, each] of Object.entries(properties)) {
    const isMeta = (context.isRoot || schema['x-kubernetes-embedded-resource'] === true) && ofResource.has(name);
    yield [
      each,
      `${field}.properties[${name}]`,
      {
        ...inside,
        isMeta: context.isMeta || isMeta,
        forbidsDefaults: isMeta && context.isRoot ? `in top-level ${name}` : context.forbidsDefaults,
      },
    ];
  }
  yield* alternatives(schema, field, { ...context, isRoot: false, rules: undefined });
  const items = itemsOf(schema);
  // Items can be told to be the same as before only by the keys of a map.
  const uncorrelated = schema['x-kubernetes-list-type'] === 'map' ? undefined : field;
  const rules = inside.rules && { ...inside.rules, uncorrelated: inside.rules.uncorrelated ?? uncorrelated };
  if (items !== undefined) yield [items, `${field}.items`, { ...inside, rules }];
  if (Array.isArray(element)) {
    for (const [i, each] of element.entries()) yield [each, `${field}.items[${i}]`, { ...inside, rules }];
  }
}

function* alternatives(schema: JSONSchemaProps, field: string, context: SchemaContext): Iterable<Child> {
  if (schema.not !== undefined) yield [schema.not, `${field}.not`, context];
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, each] of (schema[name] ?? []).entries()) yield [each, `${field}.${name}[${i}]`, context];
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {}))
    yield [each, `${field}.definitions[${name}]`, context];
}
