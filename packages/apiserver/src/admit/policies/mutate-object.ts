/** One mutation of a policy: the patch that its expression gives, and the object with it. */
import { applyJsonPatch, JsonPatchError } from '@keelson/core';
import {
  type AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionInput,
  type AdmissionProblem,
  AdmissionRun,
  type AdmissionValue,
  jsonOf,
  NotJson,
  OutOfBudget,
  policyBudget,
  typeNameProblems,
} from '@keelson/schema/admission';
import { GoJsonError } from '../../decode/go-json.ts';
import type { ApiObject, JsonObject } from '../../object.ts';
import { internalError } from '../../status.ts';
import { type Body, bodyOf } from '../body-of.ts';
import type { Match } from '../match.ts';
import { withConfiguration } from './apply-configuration.ts';
import { MutationFailed } from './mutation-failed.ts';

type PatchType = 'ApplyConfiguration' | 'JSONPatch';

export interface CompiledMutation {
  readonly type: PatchType;
  readonly expression: AdmissionExpression | AdmissionProblem;
}

/** The object as the policy wants it, with defaults; throws `MutationFailed`. */
export function mutated(
  { type, expression }: CompiledMutation,
  variables: AdmissionCompiler['variables'],
  input: AdmissionInput,
  match: Match,
): ApiObject {
  const object = input.object as ApiObject;
  const value = evaluated(expression, variables, input);
  const problems = typeNameProblems(value);
  if (problems.length > 0) throw new MutationFailed(`type mismatch: ${problems.join('\n')}`);
  const patch = asJson(value);
  const body = bodyOf(match);
  const changed =
    type === 'JSONPatch' ? patched(object, patch, body) : configured(object, patch as JsonObject, match.kind, body);
  return body.default(changed);
}

function evaluated(
  expression: AdmissionExpression | AdmissionProblem,
  variables: AdmissionCompiler['variables'],
  input: AdmissionInput,
): AdmissionValue {
  if ('problem' in expression) throw new MutationFailed(expression.problem);
  try {
    const result = new AdmissionRun(variables, input, policyBudget).evaluate(expression);
    if ('error' in result) throw new MutationFailed(result.error);
    return result.value;
  } catch (error) {
    throw error instanceof OutOfBudget ? new MutationFailed(error.message) : error;
  }
}

function asJson(value: AdmissionValue): unknown {
  try {
    return jsonOf(value);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new MutationFailed(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`,
    );
  }
}

/** A patch of which a test fails is left out, whole. */
function patched(object: ApiObject, patch: unknown, body: Body): ApiObject {
  let result: JsonObject;
  try {
    result = applyJsonPatch(object, patch) as JsonObject;
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.reason === 'TestFailed') return object;
    throw new MutationFailed(`JSON Patch: ${error.message}`);
  }
  try {
    const { object: decoded, unknown } = body.decode(result);
    if (unknown.length === 0 || body.custom) return decoded;
    const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    throw internalError(`strict decoding error: ${fields.join(', ')}`);
  } catch (error) {
    throw error instanceof GoJsonError ? internalError(error.message) : error;
  }
}

function configured(object: ApiObject, configuration: JsonObject, kind: Match['kind'], body: Body): ApiObject {
  const type = body.objectType();
  // The real server knows no types of what only a subresource takes.
  if (type === undefined) {
    const named = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    const why = `failed to convert patch object to typed object: no corresponding type for ${named}`;
    throw new MutationFailed(`error applying patch: ${why}`);
  }
  const result = withConfiguration(object, configuration, type);
  try {
    return body.decode(result).object;
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    const named = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    throw new MutationFailed(`unable to convert unstructured object to ${named}: ${error.message}`);
  }
}
