/**
 * The body of a request as an object of the kind that its path names.
 *
 * JSON is read here; YAML by a parser, and protobuf by tables, that are loaded when the first of them comes.
 */

import { type ApiObject, isObject, type JsonObject } from '../object.ts';
import { schemaNameOf } from '../openapi/documents.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { apiVersionOf, type Resource } from '../resource/resource.ts';
import { badRequest, notImplemented, StatusError, tooLarge, unsupportedMediaType } from '../status.ts';
import { assertDepth, assertShallow } from './depth.ts';
import { GoJsonError } from './go-json.ts';
import { goType } from './go-types.ts';
import type { FieldValidation } from './options.ts';
import { ownAlias } from './own-alias.ts';
import { ProtobufError, readProtobuf } from './protobuf.ts';
import { repeatedKeys, repeatedKeysText } from './repeated-keys.ts';
import {
  duplicateMembers,
  hasOverflow,
  JsonSyntaxError,
  mergedMembers,
  overflowingNumber,
  TooDeepError,
} from './strict-json.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
export const mediaTypes: readonly string[] = ['application/json', 'application/yaml', protobuf];

/** Remarks on one body; the real server counts no further. */
const maxProblems = 100;

/** Its schemas have schemas in them. */
export const definitionKind = 'CustomResourceDefinition';

/** As much as the real server reads. */
export const maxBodyBytes = 3 * 1024 * 1024;

export function mediaTypeOf({ headers }: ApiRequest): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export interface Parsed {
  readonly value: unknown;
  /** The text as the client sent it, for messages that quote it. */
  readonly text: string;
  /** Members that occur twice, such as `spec.replicas`. */
  readonly duplicates: readonly string[];
  /** The same of a YAML text, as its parser says it. */
  readonly repeated?: readonly string[] | undefined;
  /** The first number that is too large for any number, such as `1e999`. */
  readonly overflow?: string | undefined;
}

export function assertBodySize({ body }: ApiRequest): void {
  if (body !== undefined && body.length > maxBodyBytes) throw tooLarge(`limit is ${maxBodyBytes}`);
}

export function bodyText(request: ApiRequest): string {
  assertBodySize(request);
  return request.body?.toString() ?? '';
}

/** Parses JSON; a `JsonSyntaxError` says in Go's words what is wrong. */
export function parseJson(text: string, lookForDuplicates: boolean): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    duplicateMembers(text); // throws, with a better description
    throw new JsonSyntaxError('unexpected end of JSON input');
  }
  if (!lookForDuplicates) assertDepth(text);
  return {
    value,
    text,
    duplicates: lookForDuplicates ? duplicateMembers(text) : [],
    overflow: overflowingNumber(text),
  };
}

/** Half of a character, which JSON may escape and YAML may not. */
const halfCharacter = /(?:^|[^\\])(?:\\\\)*\\u[dD][89a-fA-F]/;

export async function parseYaml(text: string, lookForDuplicates: boolean): Promise<Parsed> {
  if (halfCharacter.test(text)) {
    throw new JsonSyntaxError('error converting YAML to JSON: yaml: found invalid Unicode character escape code');
  }
  if (/^\s*[{[]/.test(text)) {
    try {
      const parsed = parseJson(text, lookForDuplicates);
      if (parsed.duplicates.length === 0) return parsed;
    } catch (error) {
      if (error instanceof TooDeepError) throw error;
      // Flow style is YAML too.
    }
  }
  const yaml = await import('yaml');
  try {
    const lineCounter = new yaml.LineCounter();
    const document = yaml.parseDocument(text, { uniqueKeys: false, merge: true, lineCounter });
    for (const error of document.errors) throw error;
    const endless = ownAlias(yaml, document);
    if (endless !== undefined) throw new Error(`yaml: anchor '${endless}' value contains itself`);
    const value: unknown = document.toJS();
    if (hasOverflow(value)) throw new JsonSyntaxError('json: unsupported value: +Inf');
    const lineAt = (offset: number) => lineCounter.linePos(offset).line;
    return { value, text, duplicates: [], repeated: lookForDuplicates ? repeatedKeys(yaml, document, lineAt) : [] };
  } catch (error) {
    if (error instanceof StatusError || error instanceof JsonSyntaxError) throw error;
    if (error instanceof Error && error.message.startsWith('Maximum call stack size exceeded')) {
      throw notImplemented('YAML that is too deep for the stack of its parser');
    }
    throw new JsonSyntaxError(
      `error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A body in Kubernetes' own encoding; it cannot say anything that its type does not know. */
export function parseProtobuf({ body }: ApiRequest, schemaName: (apiVersion: string, kind: string) => string): Parsed {
  return { value: readProtobuf(body ?? Buffer.alloc(0), schemaName), text: '', duplicates: [] };
}

/** How the real server quotes a body in its complaints. */
function summary(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const shown = text.startsWith('{') ? (part: Buffer) => part.toString() : (part: Buffer) => part.toString('hex');
  return bytes.length > 30 ? `${shown(bytes.subarray(0, 30))} ...` : shown(bytes);
}

export interface DecodedBody {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** Refuses a body of a type or size that would not be read, which is done before the options are looked at. */
export function assertReadableBody(request: ApiRequest, { strategy }: Resource): void {
  const mediaType = mediaTypeOf(request);
  const accepted = strategy.custom ? mediaTypes.filter((each) => each !== protobuf) : mediaTypes;
  if (mediaType !== '' && !accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  assertBodySize(request);
}

/** Reads the body of a create or update. */
export async function decodeBody(
  request: ApiRequest,
  resource: Resource,
  fieldValidation: FieldValidation,
): Promise<DecodedBody> {
  assertReadableBody(request, resource);
  const mediaType = mediaTypeOf(request);
  const text = bodyText(request);
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summary(text)})`);
  let parsed: Parsed;
  try {
    const strict = fieldValidation !== 'Ignore';
    parsed =
      mediaType === protobuf
        ? parseProtobuf(request, () => schemaNameOf(resource))
        : mediaType === 'application/yaml'
          ? await parseYaml(text, strict)
          : parseJson(text, strict);
  } catch (error) {
    if (error instanceof ProtobufError) throw unrecognized(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw unrecognized(`couldn't get version/kind; json parse error: ${error.message}`);
  }
  if (!isObject(parsed.value)) {
    const type = Array.isArray(parsed.value)
      ? 'array'
      : typeof parsed.value === 'boolean'
        ? 'bool'
        : typeof parsed.value;
    if (parsed.value !== null) {
      throw unrecognized(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      );
    }
  }
  // Go decodes a second member of the same name into what the first one left; an untyped one replaces it.
  const isMerged = parsed.duplicates.length > 0 && !resource.strategy.custom;
  const value = isMerged ? mergedMembers(text) : parsed.value;
  return decodeObject({ ...parsed, value: isObject(value) ? value : {} }, resource, fieldValidation, unrecognized);
}

/** Of a body of another kind: whether the server knows that at all. */
function whyNotThisKind({ group, kind, strategy }: Resource, sentVersion: string, sentKind: string): string {
  const [version = '', ...rest] = sentVersion.split('/').reverse();
  const sent = { group: rest.reverse().join('/'), version, kind: sentKind };
  if (goType(schemaNameOf(sent)) !== undefined) {
    const internal = strategy.internalGroup.split('.')[0] || 'core';
    return `converting (${version}.${sentKind}) to (${internal}.${kind}): unknown conversion`;
  }
  const quoted = [sentKind, sentVersion, group || 'core'].map((text) => JSON.stringify(text));
  return `no kind ${quoted[0]} is registered for version ${quoted[1]} in scheme ${quoted[2]}`;
}

/** Reads a value as the kind of a resource; in `parsed`, the text matters for messages alone. */
export function decodeObject(
  parsed: Parsed & { readonly value: JsonObject },
  resource: Resource,
  fieldValidation: FieldValidation,
  unrecognized: (why: string) => Error,
): DecodedBody {
  const { strategy, kind, version } = resource;
  const own = apiVersionOf(resource);
  const body = parsed.value;
  if (kind === definitionKind) assertShallow(body, 'a definition');
  const { apiVersion: sentVersion = '', kind: sentKind = '' } = body as { apiVersion?: unknown; kind?: unknown };
  if (typeof sentVersion !== 'string' || typeof sentKind !== 'string') {
    throw unrecognized(
      "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type string",
    );
  }
  const shortVersion = sentVersion.slice(sentVersion.lastIndexOf('/') + 1) || version;
  const refuse = (why: string) =>
    badRequest(`${sentKind || kind} in version ${JSON.stringify(shortVersion)} cannot be handled as a ${kind}: ${why}`);
  if (strategy.custom) {
    if (sentKind === '') throw unrecognized(`Object 'Kind' is missing in '${parsed.text}'`);
    if (sentVersion !== '' && sentVersion !== own) {
      throw badRequest(`the API version in the data (${sentVersion}) does not match the expected API version (${own})`);
    }
  } else if (
    (sentKind !== '' && sentKind !== kind) ||
    (sentVersion !== '' && sentVersion !== own && !strategy.olderVersions?.includes(sentVersion))
  ) {
    throw refuse(whyNotThisKind(resource, sentVersion || own, sentKind || kind));
  }
  const { overflow } = parsed;
  const unreadable = `json: cannot unmarshal number ${overflow} into Go value of type float64`;
  if (overflow !== undefined && strategy.custom) throw refuse(unreadable);
  try {
    const { object, unknown } = strategy.decode(body);
    if (overflow !== undefined && hasOverflow(object)) throw refuse(unreadable);
    const unknowns = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    const twice = parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
    const all = fieldValidation === 'Ignore' ? [] : strategy.custom ? [...twice, ...unknowns] : [...unknowns, ...twice];
    const repeated = fieldValidation === 'Ignore' ? [] : (parsed.repeated ?? []);
    const problems = [...repeated, ...all].slice(0, maxProblems);
    if (problems.length > 0 && fieldValidation === 'Strict') {
      const texts = repeated.length > 0 ? [repeatedKeysText(repeated), ...all] : all;
      throw refuse(`strict decoding error: ${texts.slice(0, maxProblems).join(', ')}`);
    }
    return { object, warnings: problems };
  } catch (error) {
    if (error instanceof GoJsonError) throw refuse(error.message.replace(/number -?Infinity/, `number ${overflow}`));
    throw error;
  }
}
