/** Defaults that their own schema would refuse. */
import { isObject } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { embeddedProblems, malformedResource, resourceProblems } from '../normalise/embedded.ts';
import { isPruned } from '../normalise/prune.ts';
import { asResource, compileNode, itemsOf, type SchemaNode } from '../tree/schema-node.ts';
import { checkValue } from '../values/check-value.ts';
import { ProblemList } from '../values/problem-list.ts';
import { compileValues } from '../values/value-schema.ts';
import { invalidValue, type Problem, problemsText } from '../wording/problem.ts';
import type { RuleJudge } from './rule-judge.ts';

/** Puts a value where the field stands, in a resource that is otherwise empty. */
type Surround = (value: unknown) => Readonly<Record<string, unknown>>;

interface DefaultContext {
  readonly field: string;
  /** Whether this is apiVersion, kind or metadata of a resource, or inside. */
  readonly isMeta: boolean;
  readonly surround: Surround;
  readonly judge: RuleJudge | undefined;
}

const resource: Surround = (value) => ({
  apiVersion: 'validation/v1',
  kind: 'Validation',
  ...(isObject(value) ? value : {}),
});

/** What is wrong with the defaults in a schema. */
export function defaultProblems(
  schema: JSONSchemaProps,
  field: string,
  judge: RuleJudge | undefined,
): readonly Problem[] {
  return problemsBelow(asResource(compileNode(schema)), { field, isMeta: false, surround: resource, judge });
}

function problemsBelow(node: SchemaNode, at: DefaultContext): readonly Problem[] {
  const here: DefaultContext = node.isEmbedded ? { ...at, isMeta: false, surround: resource } : at;
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
        ...here,
        field: `${here.field}.properties[${name}]`,
        isMeta: here.isMeta || startsMeta,
        surround: (value) => here.surround({ [name]: value }),
      }),
    );
  }
  return problems;
}

/** The first kind of problem hides the others, save for unknown fields. */
function ownProblems(node: SchemaNode, { field, isMeta, surround, judge }: DefaultContext): readonly Problem[] {
  const at = `${field}.default`;
  const value = node.default;
  if (isMeta) {
    const wrong = resourceProblems(surround(value), '');
    if (wrong.length > 0) return [invalidValue(at, value, `must result in valid metadata: ${problemsText(wrong)}`)];
    return valueProblems(node, at, judge);
  }
  const unpruned = isPruned(node, value) ? [] : [invalidValue(at, value, 'must not have unknown fields')];
  const malformed = malformedResource(node, value, at);
  if (malformed !== undefined) return [...unpruned, malformed];
  const embedded = embeddedProblems(node, value, at);
  return [...unpruned, ...(embedded.length > 0 ? embedded : valueProblems(node, at, judge))];
}

function valueProblems(node: SchemaNode, at: string, judge: RuleJudge | undefined): readonly Problem[] {
  const problems = new ProblemList(at);
  checkValue(compileValues(node.schema, 'defaults'), node.default, '', problems);
  return problems.all.length > 0 ? problems.all : (judge?.defaultProblems(node, at) ?? []);
}
