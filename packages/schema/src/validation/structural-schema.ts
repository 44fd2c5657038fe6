/**
 * A structural schema, compiled once: prunes, defaults and validates objects as the API server does.
 *
 * Promises: inputs are never changed; what stays the same is shared, up to the whole object.
 */

import { isObject } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { Warn } from '../cel/rules.ts';
import { fillDefaults } from '../normalise/defaults.ts';
import { embeddedProblems } from '../normalise/embedded.ts';
import { type Pruned, pruneObject } from '../normalise/prune.ts';
import type { RuleJudge } from '../structural/rule-judge.ts';
import { Correlation } from '../tree/correlation.ts';
import { compileNode } from '../tree/schema-node.ts';
import { checkValue } from '../values/check-value.ts';
import { ProblemList } from '../values/problem-list.ts';
import { compileValues } from '../values/value-schema.ts';
import { invalidValue, type Problem, wholeObject } from '../wording/problem.ts';
import { listTypeProblems } from './list-types.ts';

/** What an API server does with a CRD's schema, compiled once. */
export interface StructuralSchema {
  /** Drops unknown fields of a whole object; apiVersion, kind and metadata stay. */
  prune(object: unknown): Pruned;
  /** Fills in defaults, after pruning: on every write, and on every read. */
  default(object: unknown): unknown;
  /**
   * What is wrong with a whole object, in the API server's order: values, embedded metadata, lists that are sets or
   * maps, CEL rules. With `old`, the object before this update, transition rules run and what was wrong and has not
   * changed is tolerated. The object's own metadata is not looked at, save by rules. `warn` gets what is tolerated of
   * rules, as the server's warnings say it.
   */
  validate(object: unknown, old?: unknown, warn?: Warn): readonly Problem[];
  /** The same for an update of the status subresource, where the values of the status alone are checked. */
  validateStatus(object: unknown, old: unknown, warn?: Warn): readonly Problem[];
}

/** For schemas in which `structuralProblems` finds nothing. Without a judge, rules are not run. */
export function compileStructuralBy(judge: RuleJudge | undefined, schema: JSONSchemaProps): StructuralSchema {
  const node = compileNode(schema);
  const values = compileValues(schema);
  const ruleProblems = judge?.objectRules(node);
  const status = values.properties.get('status');

  const valueProblems = (object: unknown, old: unknown): readonly Problem[] => {
    const problems = new ProblemList(undefined);
    checkValue(values, object, '', problems);
    if (problems.all.length === 0 || old === undefined) return problems.all;
    // Comparing with the old object costs more than checking, and is seldom needed: so it is a second run.
    const tolerant = new ProblemList(undefined);
    checkValue(values, object, '', tolerant, new Correlation(node, object, old));
    return tolerant.all;
  };

  const statusProblems = (object: unknown, old: unknown): readonly Problem[] => {
    if (status === undefined || !isObject(object) || !Object.hasOwn(object, 'status')) return [];
    const problems = new ProblemList('status');
    checkValue(status, object.status, '', problems, new Correlation(node, object, old).field('status'));
    return problems.all;
  };

  const listProblems = (object: unknown, old: unknown): readonly Problem[] => {
    const problems = listTypeProblems(node, object);
    return problems.length > 0 && old !== undefined && listTypeProblems(node, old).length > 0 ? [] : problems;
  };

  const withRules = (problems: readonly Problem[], object: unknown, old: unknown, warn: Warn = () => {}) => {
    if (ruleProblems === undefined) return problems;
    const blocked = rulesBlocked(problems);
    if (blocked !== undefined) return [...problems, blocked];
    const correlation = old === undefined ? undefined : new Correlation(node, object, old);
    return [...problems, ...ruleProblems(object, old, { correlation, warn })];
  };

  return {
    prune: (object) => pruneObject(node, object),
    default: (object) => fillDefaults(node, object),
    validate: (object, old, warn) => {
      const problems = [...valueProblems(object, old), ...embeddedProblems(node, object), ...listProblems(object, old)];
      return withRules(problems, object, old, warn);
    },
    validateStatus: (object, old, warn) =>
      withRules([...statusProblems(object, old), ...listProblems(object, old)], object, old, warn),
  };
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rules are not run on an object of a wrong form, and a problem says so. */
function rulesBlocked(problems: readonly Problem[]): Problem | undefined {
  return problems.some(({ reason }) => blocking.has(reason))
    ? invalidValue(
        wholeObject,
        null,
        'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      )
    : undefined;
}
