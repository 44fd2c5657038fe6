/** The object that a webhook's patch makes, read as what it must still be. */
import { applyJsonPatch, JsonPatchError } from '@keelson/core';
import { parseJson } from '../../decode/body.ts';
import { GoJsonError } from '../../decode/go-json.ts';
import { JsonSyntaxError } from '../../decode/strict-json.ts';
import { type ApiObject, isObject, type JsonObject } from '../../object.ts';
import { apiVersionOf, type Resource } from '../../resource/resource.ts';
import { internalError, StatusError } from '../../status.ts';
import { bodyOf } from '../body-of.ts';
import type { Match } from '../match.ts';
import type { AdmissionResponse } from './admission-response.ts';
import { HookFailure } from './ask-hook.ts';
import type { Hook } from './hook.ts';

/** `undefined` when there is nothing to change. */
export function patched(
  hook: Hook,
  { patch = '', patchType = 'JSONPatch' }: AdmissionResponse,
  {
    object,
    match,
    isKnown,
  }: { object: ApiObject | undefined; match: Match; isKnown: (kind: string, apiVersion: string) => boolean },
): ApiObject | undefined {
  const operations = patch === '' ? [] : operationsOf(hook, patch);
  if (operations.length === 0) return undefined;
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') throw new HookFailure(hook, `unsupported patch type ${JSON.stringify(patchType)}`);
  try {
    const result = applyJsonPatch(object, operations);
    return decoded(isObject(result) ? result : {}, match, isKnown);
  } catch (error) {
    if (error instanceof JsonPatchError || error instanceof GoJsonError) throw internalError(error.message);
    throw error;
  }
}

function operationsOf(hook: Hook, patch: string): readonly unknown[] {
  const undecodable = (why: string) => new HookFailure(hook, `received undecodable patch in webhook response: ${why}`);
  let value: unknown;
  try {
    ({ value } = parseJson(Buffer.from(patch, 'base64').toString(), false));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw undecodable(error.message);
  }
  const misfit = (found: unknown, type: string) =>
    undecodable(`json: cannot unmarshal ${kindOf(found)} into Go value of type jsonpatch.${type}`);
  if (value === null) return [];
  if (!Array.isArray(value)) throw misfit(value, 'Patch');
  const wrong: unknown = value.find((each) => !isObject(each));
  if (wrong !== undefined) throw misfit(wrong, 'Operation');
  return value;
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

function decoded(value: JsonObject, match: Match, isKnown: (kind: string, apiVersion: string) => boolean): ApiObject {
  const { resource, kind: wanted } = match;
  const apiVersion = apiVersionOf(wanted);
  const { kind = wanted.kind, apiVersion: version = apiVersion } = value;
  if (!resource.strategy.custom && (kind !== wanted.kind || version !== apiVersion))
    throw otherKind(resource, String(kind), String(version), isKnown);
  const body = bodyOf(match);
  return body.default(body.decode({ ...value, kind, apiVersion: version }).object);
}

function otherKind(
  { group, kind: own }: Resource,
  kind: string,
  apiVersion: string,
  isKnown: (kind: string, apiVersion: string) => boolean,
): StatusError {
  const version = apiVersion.split('/').at(-1);
  if (!isKnown(kind, apiVersion)) {
    return internalError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const internal = group === '' ? 'core' : (group.split('.')[0] ?? '');
  return new StatusError(500, '', `converting (${version}.${kind}) to (${internal}.${own}): unknown conversion`);
}
