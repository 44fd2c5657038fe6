/**
 * Which policies a write concerns: each policy with each of its bindings and each of that binding's parameters.
 *
 * What keeps one from being followed is one of them too: whether that refuses the write is up to its failure policy.
 */
import type { ApiObject } from '../../object.ts';
import { StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import { type Match, type MatchContext, type MatchCriteria, matchOf } from '../match.ts';
import type { ActivePolicies, ActivePolicy } from './active-policies.ts';
import { Misconfigured, parameterResource, parametersOf } from './parameters.ts';
import type { Binding, Policy } from './policy.ts';

export type Invocation<P extends Policy, B extends Binding, C> =
  | {
      readonly type: 'policy';
      readonly active: ActivePolicy<P, B, C>;
      readonly binding: B;
      readonly match: Match;
      readonly param: ApiObject | undefined;
    }
  | {
      readonly type: 'misconfigured';
      readonly active: ActivePolicy<P, B, C>;
      /** Undefined where it is the policy that is wrong. */
      readonly binding: B | undefined;
      readonly message: string;
    };

export async function* invocationsOf<P extends Policy, B extends Binding, C>(
  context: MatchContext,
  policies: ActivePolicies<P, B, C>,
  attributes: Attributes,
): AsyncGenerator<Invocation<P, B, C>> {
  for (const active of policies.all()) {
    const { policy, criteria, bindings } = active;
    const matched = await attempt('failed to configure policy', () => {
      const match = matchOf(context, criteria, attributes);
      return match && { match, resource: parameterResource(context, policy.spec?.paramKind) };
    });
    if (matched === undefined) continue;
    if ('message' in matched) {
      yield { type: 'misconfigured', active, binding: undefined, message: matched.message };
      continue;
    }
    const { match, resource } = matched;
    for (const { binding, criteria: own } of bindings) {
      const params = await attempt('failed to configure binding', () =>
        isBound(context, own, attributes)
          ? parametersOf(context, resource, binding.spec?.paramRef, attributes.namespace)
          : [],
      );
      if ('message' in params) yield { type: 'misconfigured', active, binding, message: params.message };
      else for (const param of params) yield { type: 'policy', active, binding, match, param };
    }
  }
}

const isBound = (context: MatchContext, criteria: MatchCriteria | undefined, attributes: Attributes): boolean =>
  criteria === undefined || matchOf(context, criteria, attributes) !== undefined;

async function attempt<T>(what: string, find: () => T | Promise<T>): Promise<T | { readonly message: string }> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof Misconfigured || error instanceof StatusError)) throw error;
    return { message: `${what}: ${error.message}` };
  }
}
