/** The object that a patch makes of the old one, decoded, defaulted and owned by its writer. */

import { applyJsonPatch, applyMergePatch, JsonPatchError, timestamp } from '@keelson/core';
import { invalidValue } from '@keelson/schema/validation';
import { applyObject, updateManagedFields } from '../apply/index.ts';
import { goPrint } from '../apply/typed/go-print.ts';
import { decodeObject, definitionKind, type Parsed } from '../decode/body.ts';
import { assertShallow } from '../decode/depth.ts';
import { GoJsonError } from '../decode/go-json.ts';
import type { WriteOptions } from '../decode/options.ts';
import { repeatedKeysText } from '../decode/repeated-keys.ts';
import { jsonText } from '../json-text.ts';
import { type ApiObject, isObject, type JsonObject } from '../object.ts';
import { StrategicPatchError, strategicMergePatch } from '../patch/index.ts';
import type { Resource } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  resourceNamed,
  StatusError,
  tooLarge,
  unprocessable,
} from '../status.ts';
import type { Context } from './context.ts';
import type { PatchType, ReadPatch } from './read-patch.ts';

export function patchedObject(
  context: Context,
  write: Write,
  { type, options, parsed }: ReadPatch,
  old: ApiObject | undefined,
): ApiObject {
  return type === 'apply'
    ? applied(context, write, options, parsed, old)
    : patched(context, write, options, type, parsed, old);
}

const goKind = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

/** The object that a JSON, merge or strategic patch makes of the old one. */
function patched(
  context: Context,
  write: Write,
  options: WriteOptions,
  type: Exclude<PatchType, 'apply'>,
  { value, duplicates }: Parsed,
  old: ApiObject | undefined,
): ApiObject {
  const { resource, name, subresource, manager, warnings } = write;
  const { strategy } = resource;
  if (old === undefined) throw notFound(resourceNamed(resource), name);
  const result = patchedValue(resource, type, value, old);
  const quoted = () => (type === 'strategic' ? goPrint(value) : jsonText(result));
  const refuse = (why: string) => invalid({ group: '', name: '' }, '', [invalidValue('patch', quoted(), why)]);
  let decoded: ApiObject;
  try {
    const parsed = {
      value: result,
      get text() {
        return quoted();
      },
      duplicates: duplicates.map((path) => (type === 'json' ? `json patch ${path}` : path)),
    };
    const { object, warnings: remarks } = decodeObject(
      parsed,
      resource,
      options.fieldValidation === 'Strict' ? 'Warn' : options.fieldValidation,
      (why) => refuse(why),
    );
    if (options.fieldValidation === 'Strict' && remarks.length > 0) {
      throw refuse(`strict decoding error: ${remarks.join(', ')}`);
    }
    warnings.push(...remarks);
    decoded = object;
  } catch (error) {
    // What a body is refused for with 400 is the patch's fault here, and 422.
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    throw refuse(error.message.replace(/^.*? cannot be handled as a \S+: /, ''));
  }
  return updateManagedFields({
    type: strategy.objectType(subresource),
    before: old,
    after: strategy.default(decoded),
    manager,
    subresource,
    now: timestamp(context.clock.now()),
  }) as ApiObject;
}

function patchedValue(
  { strategy }: Resource,
  type: Exclude<PatchType, 'apply'>,
  value: unknown,
  old: ApiObject,
): JsonObject {
  if (type === 'json') {
    if (!Array.isArray(value)) {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type []handlers.jsonPatchOp`,
      );
    }
    try {
      return asObject(applyJsonPatch(old, value));
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      if (error.reason === 'TooLarge') throw tooLarge(error.message);
      throw error.reason === 'Malformed' ? badRequest(error.message) : unprocessable();
    }
  }
  if (!isObject(value)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (type === 'merge') return asObject(applyMergePatch(old, value));
  const schema = strategy.patchSchema();
  if (schema === undefined) throw unprocessable();
  assertShallow(value, 'a strategic merge patch');
  try {
    const result = strategicMergePatch(old, value, schema);
    const { kind, apiVersion } = result;
    if (!isTextOrAbsent(kind) || !isTextOrAbsent(apiVersion)) return result;
    // The object is merged as the type that it has, whatever the patch says that it is.
    return { ...result, kind: old.kind, apiVersion: old.apiVersion };
  } catch (error) {
    if (!(error instanceof StrategicPatchError)) throw error;
    if (error.status === 400) throw badRequest(error.message);
    throw error.status === 422
      ? new StatusError(422, 'Invalid', error.message, {})
      : new StatusError(500, '', error.message);
  }
}

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';

function asObject(value: unknown): JsonObject {
  if (!isObject(value)) throw unprocessable();
  return value;
}

/** What fits the schema of an apply may still not fit its type; a time or a quantity is a text to the schema. */
function converted<T>(resource: Resource, applied: JsonObject, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    // The real server wraps numbers around that are too large for their type, and goes on with what it got.
    if (error.message.startsWith('json: cannot unmarshal number')) throw badRequest(error.message);
    const { namespace = '', name = '' } = (applied.metadata ?? {}) as { namespace?: string; name?: string };
    const kind = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    throw new StatusError(
      500,
      '',
      `failed to convert new object (${namespace}/${name}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${error.message}`,
    );
  }
}

/** The object that server-side apply makes of the old one, or of nothing. */
function applied(
  context: Context,
  write: Write,
  options: WriteOptions,
  { value, repeated = [] }: Parsed,
  old: ApiObject | undefined,
): ApiObject {
  const { resource, name, subresource, manager, warnings } = write;
  const { strategy } = resource;
  if (!isObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (resource.kind === definitionKind) assertShallow(value, 'a definition');
  const request = {
    type: strategy.objectType(subresource),
    live: old,
    applied: value,
    manager,
    force: options.force ?? false,
    subresource,
    now: timestamp(context.clock.now()),
  };
  // Other owners see it in the version in which they wrote.
  const result = converted(resource, value, () => applyObject(request));
  switch (result.type) {
    case 'conflict':
      throw new StatusError(409, 'Conflict', result.message, { causes: [...result.causes] });
    case 'refused':
      if (result.code === 400) throw badRequest(result.message);
      throw new StatusError(500, '', result.message);
    case 'applied':
      break;
    default:
      return result satisfies never;
  }
  if (repeated.length > 0 && options.fieldValidation !== 'Ignore') {
    if (options.fieldValidation === 'Strict') {
      throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeysText(repeated)}`);
    }
    warnings.push(...repeated);
  }
  const { object, unknown } = converted(resource, value, () => strategy.decode(result.object));
  if (unknown.length > 0 && options.fieldValidation !== 'Ignore') {
    const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    if (options.fieldValidation === 'Strict') {
      throw badRequest(
        `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${problems.join(', ')}`,
      );
    }
    warnings.push(...problems);
  }
  const defaulted = strategy.default(object);
  if (old === undefined && defaulted.metadata.uid) {
    throw conflict(
      resourceNamed(resource),
      name,
      `uid mismatch: the provided object specified uid ${defaulted.metadata.uid}, and no existing object was found`,
    );
  }
  return defaulted;
}
