/** The judge of rules: what the API server refuses in them, found by compiling them and estimating what they cost. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { type DeclaredType, declaredType, maxRequestBytes } from '../cel/declared-type.ts';
import { compileCondition, compileMessage } from '../cel/rule.ts';
import { compileRules, ruleProblems } from '../cel/rules.ts';
import { internalRule } from '../structural/internal-form.ts';
import { perExpression, tooExpensive } from '../structural/rule-cost.ts';
import type { ObjectRules, RuleJudge, RulesContext } from '../structural/rule-judge.ts';
import type { SchemaNode } from '../tree/schema-node.ts';
import { forbiddenField, internalError, invalidValue, type Problem } from '../wording/problem.ts';

/** Judges rules as the API server does. */
export const celJudge: RuleJudge = { expressionProblems, defaultProblems, objectRules };

function objectRules(node: SchemaNode): ObjectRules | undefined {
  const rules = compileRules(node, true);
  return rules && ((object, old, options) => ruleProblems(rules, object, old, options));
}

/** As if nothing changed, and as if it were new. */
function defaultProblems(node: SchemaNode, field: string): readonly Problem[] {
  const rules = compileRules(node, node.isEmbedded);
  if (rules === undefined) return [];
  const unchanged = ruleProblems(rules, node.default, node.default, { field });
  return unchanged.length > 0 ? unchanged : ruleProblems(rules, node.default, undefined, { field });
}

function expressionProblems(schema: JSONSchemaProps, context: RulesContext): readonly Problem[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const self = declaredType(schema, context.isResource, 'selfType0');
  const field = `${context.field}.x-kubernetes-validations`;
  if (self === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    return [internalError(field, detail)];
  }
  return rules.flatMap((_, i) => oneProblems(schema, i, self, `${field}[${i}]`, context));
}

function oneProblems(
  schema: JSONSchemaProps,
  index: number,
  self: DeclaredType,
  field: string,
  { cardinality, uncorrelated, total }: RulesContext,
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
