/**
 * MutatingAdmissionPolicies: what their expressions make of an object, one policy after the other in the order of their
 * names, and once more where a policy wants to see what came after it.
 *
 * Promises: results and refusals are the real server's, in its words; there, the order of policies is left to chance.
 */

import { equalJson } from '@keelson/core';
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@keelson/core/admissionregistration/v1';
import { AdmissionCompiler } from '@keelson/schema/admission';
import type { ApiObject } from '../../object.ts';
import { forbidden, resourceNamed, StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import type { LateAdmitter, Mutation } from '../late-admission.ts';
import { compileMatchConditions, type MatchConditions } from '../match-conditions.ts';
import { unversioned } from '../versioned.ts';
import { ActivePolicies } from './active-policies.ts';
import { inputOf, meetsConditions, type PolicyContext, shownName } from './context.ts';
import { type Invocation, invocationsOf } from './invocations.ts';
import { type CompiledMutation, mutated } from './mutate-object.ts';
import { MutationFailed } from './mutation-failed.ts';
import { ignoresFailures } from './policy.ts';

/** Its expressions, compiled. */
interface Compiled {
  readonly variables: AdmissionCompiler['variables'];
  readonly conditions: MatchConditions;
  readonly mutations: readonly CompiledMutation[];
}

function compiled({ spec = {} }: MutatingAdmissionPolicy): Compiled {
  const { paramKind, variables = [], matchConditions = [], mutations = [] } = spec;
  const declared = { params: paramKind !== undefined, authorizer: true };
  const compiler = new AdmissionCompiler({ variables: true });
  for (const { name, expression } of variables) compiler.addVariable(name, expression, declared);
  return {
    variables: compiler.variables,
    conditions: compileMatchConditions(matchConditions, declared.params),
    mutations: mutations.map(({ patchType, jsonPatch, applyConfiguration }) =>
      patchType === 'JSONPatch'
        ? {
            type: 'JSONPatch',
            expression: compiler.compile(
              jsonPatch?.expression ?? '',
              { ...declared, patches: true },
              'list(JSONPatch)',
            ),
          }
        : {
            type: 'ApplyConfiguration',
            expression: compiler.compile(
              applyConfiguration?.expression ?? '',
              { ...declared, patches: true },
              'Object',
            ),
          },
    ),
  };
}

type Found = Invocation<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Compiled>;

/** Of one policy and binding; the reason of a refusal is that of the first problem. */
interface Problem {
  readonly message: string;
  readonly reason: 'Invalid' | 'Forbidden';
}

export function mutatingPolicies(context: PolicyContext): LateAdmitter {
  const policies = new ActivePolicies<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Compiled>(
    context.store,
    'mutating',
    compiled,
  );
  return {
    handles: (write, operation) => operation !== 'DELETE' && policies.handles(write, operation),
    mutation: () => mutation(context, policies),
  };
}

function mutation(
  context: PolicyContext,
  policies: ActivePolicies<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Compiled>,
): Mutation {
  /** Those that were asked, and want to be asked again when something changes; and those of them for which it did. */
  const asked = new Set<string>();
  const again = new Set<string>();
  let last: ApiObject | undefined;
  const changed = () => {
    for (const key of asked) again.add(key);
    asked.clear();
  };
  return async (attributes, isRepeated) => {
    const invocations: Found[] = [];
    for await (const each of invocationsOf(context, policies, attributes)) invocations.push(each);
    if (attributes.object === undefined) return { object: undefined, mustRepeat: false };
    if (isRepeated && !equalJson(last, attributes.object)) changed();
    const problems = invocations.flatMap(misconfiguration);
    let { object } = attributes;
    let isDirty = false;
    for (const invocation of invocations) {
      if (invocation.type === 'misconfigured') continue;
      const { active, binding, match, param } = invocation;
      const { policy, compiled } = active;
      const fail = (message: string) => {
        if (ignoresFailures(policy)) return;
        problems.push({ message: denied(policy, binding, message), reason: 'Invalid' });
      };
      const input = () => inputOf(context, { ...attributes, object }, match, param);
      const meets = meetsConditions(compiled.conditions, await input(), ignoresFailures(policy));
      if (typeof meets === 'object') fail(meets.error);
      if (meets !== true) continue;
      const key = [policy, binding, param].map((each) => each?.metadata.uid).join(' ');
      if (isRepeated && !again.has(key)) continue;
      const before = object;
      for (const each of compiled.mutations) {
        try {
          const result = mutated(each, compiled.variables, await input(), match);
          object = await unversioned(attributes, match, result);
          isDirty = true;
        } catch (error) {
          if (!(error instanceof MutationFailed)) throw error;
          fail(error.message);
        }
      }
      if (!equalJson(before, object)) changed();
      if (policy.spec?.reinvocationPolicy === 'IfNeeded') asked.add(key);
    }
    if (isDirty) changed();
    last = object;
    if (problems.length > 0) throw refused(attributes, problems);
    return { object, mustRepeat: isDirty };
  };
}

function misconfiguration(invocation: Found): readonly Problem[] {
  if (invocation.type !== 'misconfigured' || ignoresFailures(invocation.active.policy)) return [];
  const { active, binding, message } = invocation;
  return [{ message: denied(active.policy, binding, message), reason: 'Forbidden' }];
}

function denied(
  { metadata: { name = '' } }: MutatingAdmissionPolicy,
  binding: MutatingAdmissionPolicyBinding | undefined,
  message: string,
): string {
  const by = binding === undefined ? JSON.stringify(name) : `'${name}' with binding '${binding.metadata.name}'`;
  return `policy ${by} denied request: ${message}`;
}

/** The code is that of what is forbidden, whatever the reason. */
function refused(attributes: Attributes, problems: readonly Problem[]): StatusError {
  const causes = problems.map(({ message }) => ({ message }));
  const { message = '', reason = 'Invalid' } = problems[0] ?? {};
  const { details } = forbidden(resourceNamed(attributes.resource), shownName(attributes), '', causes).status;
  return new StatusError(403, reason, message, details);
}
