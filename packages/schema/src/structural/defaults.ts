/** Defaults that their own schema would refuse. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileRules, ruleProblems } from '../cel/rules.ts';
import { asResource, compileNode, itemsOf, type SchemaNode } from '../tree/schema-node.ts';
import { embeddedProblems, malformedResource, resourceProblems } from '../validation/embedded.ts';
import { isPruned } from '../validation/prune.ts';
import { checkValue } from '../values/check-value.ts';
import { ProblemList } from '../values/problem-list.ts';
import { compileValues } from '../values/value-schema.ts';
import { isObject } from '../wording/go-text.ts';
import { invalidValue, type Problem, problemsText } from '../wording/problem.ts';

/** Puts a value where the field stands, in a resource that is otherwise empty. */
type Surround = (value: unknown) => Readonly<Record<string, unknown>>;

interface Place {
  readonly field: string;
  /** Whether this is apiVersion, kind or metadata of a resource, or inside. */
  readonly isMeta: boolean;
  readonly surround: Surround;
}

const resource: Surround = (value) => ({
  apiVersion: 'validation/v1',
  kind: 'Validation',
  ...(isObject(value) ? value : {}),
});

export function defaultProblems(schema: JSONSchemaProps, field: string): readonly Problem[] {
  return problemsBelow(asResource(compileNode(schema)), { field, isMeta: false, surround: resource });
}

function problemsBelow(node: SchemaNode, place: Place): readonly Problem[] {
  const here: Place = node.isEmbedded ? { ...place, isMeta: false, surround: resource } : place;
  const problems: Problem[] = node.default === undefined ? [] : [...ownProblems(node, here)];
  const items = itemsOf(node.schema) === undefined ? undefined : node.items;
  if (items !== undefined) {
    problems.push(
      ...problemsBelow(items, { ...here, field: `${here.field}.items`, surround: (value) => here.surround([value]) }),
    );
  }
  for (const [name, child] of node.properties) {
    const startsMeta = node.isEmbedded && ['metadata', 'apiVersion', 'kind'].includes(name);
    problems.push(
      ...problemsBelow(child, {
        field: `${here.field}.properties[${name}]`,
        isMeta: here.isMeta || startsMeta,
        surround: (value) => here.surround({ [name]: value }),
      }),
    );
  }
  return problems;
}

/** The first kind of problem hides the others, save for unknown fields. */
function ownProblems(node: SchemaNode, { field, isMeta, surround }: Place): readonly Problem[] {
  const place = `${field}.default`;
  const value = node.default;
  if (isMeta) {
    const wrong = resourceProblems(surround(value), '');
    if (wrong.length > 0) return [invalidValue(place, value, `must result in valid metadata: ${problemsText(wrong)}`)];
    return valueProblems(node, place);
  }
  const unpruned = isPruned(node, value) ? [] : [invalidValue(place, value, 'must not have unknown fields')];
  const malformed = malformedResource(node, value, place);
  if (malformed !== undefined) return [...unpruned, malformed];
  const embedded = embeddedProblems(node, value, place);
  return [...unpruned, ...(embedded.length > 0 ? embedded : valueProblems(node, place))];
}

function valueProblems(node: SchemaNode, place: string): readonly Problem[] {
  const problems = new ProblemList(place);
  checkValue(compileValues(node.schema, 'defaults'), node.default, '', problems);
  const rules = problems.all.length === 0 ? compileRules(node, node.isEmbedded) : undefined;
  if (rules === undefined) return problems.all;
  // As if nothing changed, and as if it were new.
  const unchanged = ruleProblems(rules, node.default, node.default, { field: place });
  return unchanged.length > 0 ? unchanged : ruleProblems(rules, node.default, undefined, { field: place });
}
