/**
 * Match conditions: expressions that say more closely which writes an admitter is asked about.
 *
 * Promises: one that is false keeps the admitter out of it, whatever the others are; one that cannot be computed is a
 * matter of the failure policy.
 */
import {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionInput,
  type AdmissionProblem,
  AdmissionRun,
  matchConditionsBudget,
  OutOfBudget,
} from '@keelson/schema/admission';
import type { Authoriser } from '../authorise/authoriser.ts';
import { forbidden, resourceNamed } from '../status.ts';
import { admissionRequest } from './admission-request.ts';
import type { Attributes } from './attributes.ts';
import type { Match } from './match.ts';
import type { Versioned } from './versioned.ts';

export type MatchConditions = readonly (AdmissionExpression | AdmissionProblem)[];

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export function compileMatchConditions(conditions: readonly MatchCondition[], hasParams = false): MatchConditions {
  const compiler = new AdmissionCompiler({ variables: false });
  return conditions.map(({ expression }) =>
    compiler.compile(expression, { params: hasParams, authorizer: true }, 'bool'),
  );
}

/** Whether all hold; errors are the texts of those that could not be computed where none was false. */
export function evaluateMatchConditions(
  conditions: MatchConditions,
  input: AdmissionInput,
): boolean | { readonly errors: readonly string[] } {
  if (conditions.length === 0) return true;
  const run = new AdmissionRun(new Map(), input, matchConditionsBudget);
  const errors: string[] = [];
  try {
    for (const condition of conditions) {
      const result = run.evaluate(condition);
      if ('error' in result) errors.push(result.error);
      else if (result.value === false) return false;
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return { errors: [error.message] };
  }
  return errors.length === 0 ? true : { errors };
}

/** Throws a refusal where it cannot be known and the failure policy is to fail. */
export function meetsConditions(
  authoriser: Pick<Authoriser, 'decide'>,
  { conditions, failurePolicy }: { readonly conditions: MatchConditions; readonly failurePolicy: string | undefined },
  { attributes, match, objects }: { attributes: Attributes; match: Match; objects: Versioned },
): boolean {
  const { resource, name } = attributes;
  const result = evaluateMatchConditions(conditions, {
    object: objects.object ?? null,
    oldObject: objects.old ?? null,
    request: admissionRequest(attributes, match),
    namespaceObject: null,
    params: null,
    authorizer: authorizerOf(authoriser, attributes),
  });
  if (typeof result === 'boolean') return result;
  if (failurePolicy === 'Ignore') return false;
  const { errors } = result;
  throw forbidden(resourceNamed(resource), name, errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
}

/** What `authorizer` asks on behalf of the user, or of a service account. */
export function authorizerOf(
  authoriser: Pick<Authoriser, 'decide'>,
  { resource, subresource, namespace, name, user }: Attributes,
): NonNullable<AdmissionInput['authorizer']> {
  const { group, resource: plural } = resource;
  return {
    requestResource: { group, resource: plural, subresource, namespace, name },
    authorize({ serviceAccount, ...question }) {
      const subject =
        serviceAccount === undefined
          ? user
          : {
              name: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
              // Not those of everybody who is authenticated: nobody has authenticated it.
              groups: ['system:serviceaccounts', `system:serviceaccounts:${serviceAccount.namespace}`],
            };
      const { allowed, reason } = authoriser.decide(
        subject,
        question.type === 'path' ? { type: 'other', verb: question.verb, path: question.path } : question,
      );
      return { allowed, reason, error: '' };
    },
  };
}
