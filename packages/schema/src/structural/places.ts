/** The walk over all places of a schema, with what is refused at each. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isSchema, itemsOf } from '../tree/schema-node.ts';
import type { Problem } from '../wording/problem.ts';
import { type Context, extensionProblems, keywordProblems, ruleProblems } from './extensions.ts';
import { childCardinality, expressionProblems, type RulesPlace } from './rules.ts';

/** Expressions are compiled only where nothing else is wrong, at this place or below. */
interface Found {
  readonly schema: readonly Problem[];
  readonly rules: readonly Problem[];
}

interface Place extends Context {
  readonly isRoot: boolean;
  /** Undefined where rules are not looked at: in alternatives, and when the structure is wrong. */
  readonly rules: Omit<RulesPlace, 'field' | 'isResource'> | undefined;
}

/** First what is wrong with schemas, then what is wrong with rules. */
export function placeProblems(
  schema: JSONSchemaProps,
  field: string,
  total: RulesPlace['total'] | undefined,
): readonly Problem[] {
  const rules = total && { cardinality: 1, uncorrelated: undefined, total };
  const found = visit(schema, field, { isRoot: true, isMeta: false, forbidsDefaults: undefined, rules });
  return [...found.schema, ...found.rules];
}

const ofResource = new Set(['metadata', 'kind', 'apiVersion']);

function visit(schema: JSONSchemaProps, field: string, place: Place): Found {
  const below = [...children(schema, field, place)].map((child) => visit(...child));
  const validations = schema['x-kubernetes-validations'] ?? [];
  const own: Problem[] = [
    ...keywordProblems(schema, place, field),
    ...below.flatMap((found) => found.schema),
    ...extensionProblems(schema, field),
    ...validations.flatMap((rule, i) => ruleProblems(rule, schema, `${field}.x-kubernetes-validations[${i}]`)),
  ];
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const compiled =
    own.length === 0 && place.rules !== undefined && validations.length > 0
      ? expressionProblems(schema, { ...place.rules, field, isResource })
      : [];
  return { schema: own, rules: [...below.flatMap((found) => found.rules), ...compiled] };
}

type Child = readonly [schema: JSONSchemaProps, field: string, place: Place];

function* children(schema: JSONSchemaProps, field: string, place: Place): Iterable<Child> {
  const { properties = {}, additionalProperties, items: element } = schema;
  const inside: Place = {
    ...place,
    isRoot: false,
    rules: place.rules && { ...place.rules, cardinality: childCardinality(schema, place.rules.cardinality) },
  };
  if (isSchema(additionalProperties)) {
    const reason = place.isMeta ? 'inside additionalProperties applying to object metadata' : place.forbidsDefaults;
    yield [additionalProperties, `${field}.additionalProperties`, { ...inside, forbidsDefaults: reason }];
  }
  for (const [name, each] of Object.entries(properties)) {
    const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource'] === true) && ofResource.has(name);
    yield [
      each,
      `${field}.properties[${name}]`,
      {
        ...inside,
        isMeta: place.isMeta || isMeta,
        forbidsDefaults: isMeta && place.isRoot ? `in top-level ${name}` : place.forbidsDefaults,
      },
    ];
  }
  yield* alternatives(schema, field, { ...place, isRoot: false, rules: undefined });
  const items = itemsOf(schema);
  // Items can be told to be the same as before only by the keys of a map.
  const uncorrelated = schema['x-kubernetes-list-type'] === 'map' ? undefined : field;
  const rules = inside.rules && { ...inside.rules, uncorrelated: inside.rules.uncorrelated ?? uncorrelated };
  if (items !== undefined) yield [items, `${field}.items`, { ...inside, rules }];
  if (Array.isArray(element)) {
    for (const [i, each] of element.entries()) yield [each, `${field}.items[${i}]`, { ...inside, rules }];
  }
}

function* alternatives(schema: JSONSchemaProps, field: string, place: Place): Iterable<Child> {
  if (schema.not !== undefined) yield [schema.not, `${field}.not`, place];
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, each] of (schema[name] ?? []).entries()) yield [each, `${field}.${name}[${i}]`, place];
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {}))
    yield [each, `${field}.definitions[${name}]`, place];
}
