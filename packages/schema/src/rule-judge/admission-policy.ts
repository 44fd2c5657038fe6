/** `admissionPolicy`: a policy whose expressions are judged as the API server would when it is declared. */
import type { AdmissionPolicyDeclaration, Kind, ObjectOf, PolicyParameters, PolicyValidation } from '@keelson/core';
import {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionProblem,
} from '../cel/admission/admission-compiler.ts';
import { type RuleField, ruleField } from './rule-field.ts';

/** What expressions name in a template, with the fields that the kinds have. */
export interface PolicyScope<K extends Kind, P extends Kind> {
  readonly object: RuleField<ObjectOf<K>>;
  readonly oldObject: RuleField<ObjectOf<K>>;
  /** Only where the policy has parameters. */
  readonly params: RuleField<ObjectOf<P>>;
}

/** A policy as it is written: its kind comes first, and its validations may be a function of what they can name. */
export interface PolicyDefinition<K extends Kind, P extends Kind>
  extends Omit<AdmissionPolicyDeclaration, 'for' | 'validations' | 'params'> {
  readonly params?: (PolicyParameters & { readonly kind: P }) | undefined;
  readonly validations: readonly PolicyValidation[] | ((scope: PolicyScope<K, P>) => readonly PolicyValidation[]);
}

/**
 * A policy for `operator({ policies })`, which the API server applies by itself. What it would refuse is a TypeError
 * with all its reasons: an expression that does not compile, or gives something else than it must.
 *
 * @example
 * export const deletionPolicy = admissionPolicy(Memcached, {
 *   name: 'protected',
 *   operations: ['DELETE'],
 *   validations: ({ oldObject }) => [
 *     {
 *       expression: `!has(${oldObject.metadata}.labels) || !('protected' in ${oldObject.metadata.labels})`,
 *       message: 'it is protected: take the label away first',
 *       reason: 'Forbidden',
 *     },
 *   ],
 * });
 */
export function admissionPolicy<K extends Kind, P extends Kind = never>(
  kind: K,
  { validations, ...definition }: PolicyDefinition<K, P>,
): AdmissionPolicyDeclaration {
  const { name, variables = {}, matchConditions = [], params } = definition;
  const scope = { object: ruleField('object'), oldObject: ruleField('oldObject'), params: ruleField('params') };
  const made = typeof validations === 'function' ? validations(scope as PolicyScope<K, P>) : validations;
  const declared = { params: params !== undefined, authorizer: true };
  const problems: string[] = [];
  const judge = (what: string, compiled: AdmissionExpression | AdmissionProblem) => {
    if ('problem' in compiled) problems.push(`${what}: ${compiled.problem}`);
  };
  const compiler = new AdmissionCompiler({ variables: Object.keys(variables).length > 0 });
  for (const each of matchConditions) {
    judge(
      `matchCondition ${each.name}`,
      new AdmissionCompiler({ variables: false }).compile(each.expression, declared, 'bool'),
    );
  }
  for (const [each, text] of Object.entries(variables))
    judge(`variable ${each}`, compiler.addVariable(each, text, declared));
  for (const { expression, messageExpression } of made) {
    judge(expression, compiler.compile(expression, declared, 'bool'));
    if (messageExpression === undefined) continue;
    judge(messageExpression, compiler.compile(messageExpression, { ...declared, authorizer: false }, 'string'));
  }
  if (made.length === 0) problems.push('it has no validations');
  if (problems.length > 0) {
    throw new TypeError(
      `the policy ${name} cannot be applied by Kubernetes:\n${problems.map((each) => `  ${each}`).join('\n')}`,
    );
  }
  return { ...definition, for: kind, validations: made };
}
