/**
 * ValidatingAdmissionPolicies: what their expressions say of a write, and what their bindings make of that.
 *
 * Promises: verdicts, errors and warnings are the real server's, in its words; where several policies refuse, the first
 * by name is told, while there it is any of them.
 * Does not: write an audit log; what is only to be audited has no effect.
 */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from '@keelson/core/admissionregistration/v1';
import {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionInput,
  type AdmissionProblem,
  AdmissionRun,
  OutOfBudget,
  policyBudget,
} from '@keelson/schema/admission';
import { forbidden, resourceNamed, StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import type { LateAdmitter } from '../late-admission.ts';
import { compileMatchConditions, type MatchConditions } from '../match-conditions.ts';
import { ActivePolicies } from './active-policies.ts';
import { inputOf, meetsConditions, type PolicyContext, shownName } from './context.ts';
import { invocationsOf } from './invocations.ts';
import { ignoresFailures } from './policy.ts';

type Expression = AdmissionExpression | AdmissionProblem;

/** Its expressions, compiled. */
interface Compiled {
  readonly variables: AdmissionCompiler['variables'];
  readonly conditions: MatchConditions;
  readonly validations: readonly { readonly validation: Validation; readonly expression: Expression }[];
  /** Undefined where a validation has no expression for its message. */
  readonly messages: readonly (Expression | undefined)[];
  readonly auditAnnotations: readonly Expression[];
}

function compiled({ spec = {} }: ValidatingAdmissionPolicy): Compiled {
  const { paramKind, variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const declared = { params: paramKind !== undefined, authorizer: true };
  const compiler = new AdmissionCompiler({ variables: true });
  for (const { name, expression } of variables) compiler.addVariable(name, expression, declared);
  return {
    variables: compiler.variables,
    conditions: compileMatchConditions(matchConditions, declared.params),
    validations: validations.map((validation) => ({
      validation,
      expression: compiler.compile(validation.expression, declared, 'bool'),
    })),
    messages: validations.map(({ messageExpression }) =>
      messageExpression ? compiler.compile(messageExpression, { ...declared, authorizer: false }, 'string') : undefined,
    ),
    auditAnnotations: auditAnnotations.map(({ valueExpression }) =>
      compiler.compile(valueExpression, declared, 'string or null'),
    ),
  };
}

/** Why a write is not as a policy wants it. */
interface Denial {
  readonly message: string;
  readonly reason?: string | undefined;
}

export function validatingPolicies(context: PolicyContext): LateAdmitter {
  const policies = new ActivePolicies<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Compiled>(
    context.store,
    'validating',
    compiled,
  );
  return {
    handles: (write, operation) => policies.handles(write, operation),
    async validate(attributes) {
      let refusal: StatusError | undefined;
      for await (const invocation of invocationsOf(context, policies, attributes)) {
        const { active, binding } = invocation;
        const { policy, compiled } = active;
        const name = policy.metadata.name ?? '';
        const by = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`;
        const deny = ({ message, reason }: Denial) => {
          refusal ??= refused(
            attributes,
            `ValidatingAdmissionPolicy '${name}'${by} denied request: ${message}`,
            reason,
          );
        };
        if (invocation.type === 'misconfigured') {
          if (!ignoresFailures(policy)) deny(invocation);
          continue;
        }
        const { match, param } = invocation;
        const input = await inputOf(context, attributes, match, param);
        const { denials, errors } = judged(policy, compiled, input);
        const actions = invocation.binding.spec?.validationActions ?? [];
        for (const denial of denials) {
          if (actions.includes('Deny')) deny(denial);
          if (actions.includes('Warn')) {
            const text = `Validation failed for ValidatingAdmissionPolicy '${name}'${by}: ${denial.message}`;
            attributes.warnings.push(text);
          }
        }
        for (const message of errors) deny({ message });
      }
      if (refusal !== undefined) throw refusal;
    },
  };
}

/** `errors` refuse, whatever the binding wants to be done. */
interface Judgement {
  readonly denials: readonly Denial[];
  readonly errors: readonly string[];
}

function judged(policy: ValidatingAdmissionPolicy, compiled: Compiled, input: AdmissionInput): Judgement {
  const failed = (message: string): Judgement => ({
    denials: ignoresFailures(policy) ? [] : [{ message }],
    errors: [],
  });
  const { variables, conditions } = compiled;
  const meets = meetsConditions(conditions, input, ignoresFailures(policy));
  if (typeof meets === 'object') return failed(meets.error);
  if (!meets) return { denials: [], errors: [] };
  try {
    const denials = denialsOf(policy, compiled, input);
    const audit = new AdmissionRun(variables, { ...input, authorizer: undefined }, policyBudget);
    const errors = compiled.auditAnnotations.flatMap((expression) => {
      const result = audit.evaluate(expression);
      return 'error' in result && !ignoresFailures(policy) ? [result.error] : [];
    });
    return { denials, errors };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

function denialsOf(policy: ValidatingAdmissionPolicy, compiled: Compiled, input: AdmissionInput): readonly Denial[] {
  const run = new AdmissionRun(compiled.variables, input, policyBudget);
  const verdicts = compiled.validations.map(({ expression }) => run.evaluate(expression));
  const messages = messagesOf(compiled, { ...input, authorizer: undefined }, run.left);
  return compiled.validations.flatMap(({ validation }, i): readonly Denial[] => {
    const verdict = verdicts[i];
    if (verdict === undefined) return [];
    const error =
      'error' in verdict ? verdict.error : 'problem' in messages ? `failed messageExpression: ${messages.problem}` : '';
    if (error !== '') return ignoresFailures(policy) ? [] : [{ message: error }];
    if ('value' in verdict && verdict.value === true) return [];
    const given = 'texts' in messages ? messages.texts[i] : undefined;
    return [{ message: given || fixedMessage(validation), reason: validation.reason || 'Invalid' }];
  });
}

function fixedMessage({ message = '', expression }: Validation): string {
  return message.trim() || `failed expression: ${expression.trim()}`;
}

const maxMessageBytes = 5 * 1024;

/** All of them are computed, and together with the validations they may cost only so much. */
function messagesOf(
  { variables, messages }: Compiled,
  input: AdmissionInput,
  budget: number,
): { readonly texts: readonly (string | undefined)[] } | { readonly problem: string } {
  if (messages.every((expression) => expression === undefined)) return { texts: [] };
  const run = new AdmissionRun(variables, input, budget);
  try {
    const texts = messages.map((expression) => {
      const result = expression && run.evaluate(expression);
      const text =
        result !== undefined && 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
      return text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
    });
    return { texts };
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: error.message };
    throw error;
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refused(attributes: Attributes, message: string, reason = 'Invalid'): StatusError {
  const { status } = forbidden(resourceNamed(attributes.resource), shownName(attributes), message, [{ message }]);
  return new StatusError(codes[reason] ?? 422, reason, status.message ?? '', status.details);
}
