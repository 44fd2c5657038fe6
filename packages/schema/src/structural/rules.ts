/** What the API server refuses in the rules of a schema: expressions that do not compile, or cost too much. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { type DeclaredType, declaredType, maxRequestBytes } from '../cel/declared-type.ts';
import { compileCondition, compileMessage } from '../cel/rule.ts';
import { forbiddenField, internalError, invalidValue, type Problem } from '../wording/problem.ts';
import { internalRule } from './internal-form.ts';

const perExpression = 10_000_000;
const perSchema = 100_000_000;

/** How often a schema's values can occur at most; undefined where nothing bounds it. */
export type Cardinality = number | undefined;

/** What the rules of a schema cost together. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly field: string; readonly cost: number }[] = [];

  add(field: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, 2 ** 64);
    if (cost < perSchema / 100) return;
    this.#expensive.push({ field, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  problems(field: string): readonly Problem[] {
    if (this.#total <= perSchema) return [];
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((each) => forbiddenField(each.field, share)),
      forbiddenField(field, tooExpensive(name, this.#total, perSchema)),
    ];
  }
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

export interface RulesPlace {
  readonly field: string;
  readonly isResource: boolean;
  readonly cardinality: Cardinality;
  /** The list around this place whose items cannot be told to be the same as before. */
  readonly uncorrelated: string | undefined;
  readonly total: TotalCost;
}

export function expressionProblems(schema: JSONSchemaProps, place: RulesPlace): readonly Problem[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const self = declaredType(schema, place.isResource, 'selfType0');
  const field = `${place.field}.x-kubernetes-validations`;
  if (self === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    return [internalError(field, detail)];
  }
  return rules.flatMap((_, i) => oneProblems(schema, i, self, `${field}[${i}]`, place));
}

function oneProblems(
  schema: JSONSchemaProps,
  index: number,
  self: DeclaredType,
  field: string,
  { cardinality, uncorrelated, total }: RulesPlace,
): readonly Problem[] {
  const rule = schema['x-kubernetes-validations']?.[index];
  if (rule === undefined) return [];
  const condition = compileCondition(rule, self);
  const isFine = !('problem' in condition);
  // A message is compiled only if its rule is.
  const message = isFine ? compileMessage(rule, self) : undefined;
  const problems: Problem[] = [];
  const times = cardinality ?? Math.floor(maxRequestBytes / (self.minBytes + 1));
  const cost = isFine ? Math.min(condition.maxCost * times, 2 ** 64) : 0;
  if (cost > perExpression)
    problems.push(forbiddenField(`${field}.rule`, tooExpensive('estimated rule cost', cost, perExpression)));
  total.add(`${field}.rule`, cost);
  if (!isFine) problems.push(invalidValue(`${field}.rule`, internalRule(rule), condition.problem));
  if (message !== undefined && 'problem' in message) {
    problems.push(invalidValue(`${field}.messageExpression`, internalRule(rule), message.problem));
  } else if (message !== undefined) {
    if (message.maxCost > perExpression) {
      const detail = tooExpensive('estimated messageExpression cost', message.maxCost, perExpression);
      problems.push(forbiddenField(`${field}.messageExpression`, detail));
    }
    total.add(`${field}.messageExpression`, message.maxCost);
  }
  if (isFine && condition.usesOldSelf) {
    if (uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      problems.push(invalidValue(`${field}.rule`, rule.rule, detail));
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    problems.push(invalidValue(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return problems;
}

/** By how much a schema multiplies the values below it. */
export function childCardinality(schema: JSONSchemaProps, cardinality: Cardinality): Cardinality {
  if (cardinality === undefined) return undefined;
  if (schema.type === 'array')
    return schema.maxItems === undefined ? undefined : cardinality * Math.max(0, schema.maxItems);
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return cardinality;
  return schema.maxProperties === undefined ? undefined : cardinality * Math.max(0, schema.maxProperties);
}
