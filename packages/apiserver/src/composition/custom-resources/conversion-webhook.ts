/**
 * Conversion of custom resources by a webhook: a ConversionReview goes out with all objects, and comes back with as many.
 *
 * Promises: name, namespace, uid and everything else in metadata stay as they were; a webhook may change labels and
 * annotations alone. What it may not, and what it cannot, is refused in the real server's words.
 */
import type { Random } from '@keelson/core';
import {
  invalidValue,
  labelMapProblems,
  type Problem,
  problemsText,
  qualifiedNameProblems,
} from '@keelson/schema/validation';
import { type ApiObject, isObject, type JsonObject, without } from '../../object.ts';
import type { Converter } from '../../resource/conversions.ts';
import { StatusError } from '../../status.ts';
import { CallError } from '../../webhooks/call-error.ts';
import type { WebhookCaller } from '../../webhooks/caller.ts';
import type { Definition } from './definition.ts';

export interface ConversionContext {
  readonly caller: WebhookCaller;
  readonly random: Random;
}

const group = 'apiextensions.k8s.io';
const timeoutSeconds = 30;

/** `undefined` for a definition whose versions differ in their names alone. */
export function converterOf({ caller, random }: ConversionContext, { spec }: Definition): Converter | undefined {
  const { webhook, strategy } = spec.conversion ?? {};
  if (strategy !== 'Webhook' || webhook?.clientConfig === undefined) return undefined;
  const { clientConfig, conversionReviewVersions = [] } = webhook;
  const version = conversionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1';
  return async (objects, desiredAPIVersion) => {
    const [first] = objects;
    if (first === undefined || objects.every(isEmpty)) {
      return objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion }));
    }
    const what = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`;
    const refusal = (why: string) => new StatusError(500, '', `${what} ${why}`);
    const uid = random.uuid();
    const review = {
      kind: 'ConversionReview',
      apiVersion: `${group}/${version}`,
      request: { uid, desiredAPIVersion, objects: objects.map(unversioned) },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    };
    try {
      const answer = await caller.ask(clientConfig, review, timeoutSeconds, tookTooLong);
      const results = convertedObjects(answer, version, uid);
      if (results.length !== objects.length) {
        throw refusal(`returned ${results.length} objects, expected ${objects.length}`);
      }
      return objects.map((original, index) => checked(original, results[index], { index, desiredAPIVersion, refusal }));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      throw refusal(`failed: ${error.message}`);
    }
  };
}

const tookTooLong = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)';

/** What has nothing but a name for its type is not shown to webhooks. */
function isEmpty(object: ApiObject): boolean {
  const { metadata = {} } = object as Partial<ApiObject>;
  return (
    Object.keys(metadata).length === 0 && Object.keys(without(object, 'apiVersion', 'kind', 'metadata')).length === 0
  );
}

/** As it lies in the storage, where an object does not have its own version. */
const unversioned = (object: ApiObject): JsonObject =>
  isObject(object.metadata) ? { ...object, metadata: without(object.metadata, 'resourceVersion') } : object;

function convertedObjects(answer: JsonObject, version: string, uid: string): readonly unknown[] {
  const wanted = `${group}/${version}`;
  const { kind, apiVersion, response } = answer;
  if (
    (kind ?? 'ConversionReview') !== 'ConversionReview' ||
    ![undefined, `${group}/v1`, `${group}/v1beta1`].includes(apiVersion as string | undefined)
  ) {
    throw new CallError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (apiVersion !== undefined && apiVersion !== wanted) {
    const other = String(apiVersion).slice(group.length + 1);
    throw new CallError(`converting (${other}.ConversionReview) to (${version}.ConversionReview): unknown conversion`);
  }
  const isNew = version === 'v1';
  if (isNew && (kind === undefined || apiVersion === undefined)) {
    throw new CallError(`expected webhook response of ${wanted}, Kind=ConversionReview, got /, Kind=`);
  }
  if (!isObject(response)) throw new CallError('no response provided');
  const { uid: answered = '', result, convertedObjects: objects } = response;
  if (isNew && answered !== uid) {
    throw new CallError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  }
  const { status = '', message = '' } = isObject(result) ? result : {};
  if (status !== 'Success') {
    throw new CallError(message === '' ? `response.result.status was '${status}', not 'Success'` : String(message));
  }
  return Array.isArray(objects) ? objects : [];
}

interface Checking {
  readonly index: number;
  readonly desiredAPIVersion: string;
  readonly refusal: (why: string) => StatusError;
}

/** The converted object with the metadata of the original one. */
function checked(original: ApiObject, result: unknown, { index, desiredAPIVersion, refusal }: Checking): ApiObject {
  const plain = (why: string) => new StatusError(500, '', why);
  if (result === null || result === undefined) throw plain('unexpected end of JSON input');
  if (!isObject(result))
    throw plain(`json: cannot unmarshal ${goKind(result)} into Go value of type map[string]interface {}`);
  const { apiVersion = '', kind = '' } = result;
  if (kind === '') throw plain(`Object 'Kind' is missing in '${JSON.stringify(result)}'`);
  const at = (why: string) => refusal(`returned invalid object at index ${index}: ${why}`);
  if (apiVersion !== desiredAPIVersion) {
    throw at(`invalid groupVersion (expected ${desiredAPIVersion}, received ${apiVersion})`);
  }
  if (kind !== original.kind) throw at(`invalid kind (expected ${original.kind}, received ${kind})`);
  const { metadata } = result;
  const given = isObject(metadata) ? metadata : {};
  const own = { ...(original as Partial<ApiObject>).metadata } as JsonObject;
  for (const [member, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before = '', after = ''] = [own[member], given[member]];
    if (before !== after) throw refusal(`returned invalid object: must have the same ${name}: ${before} != ${after}`);
  }
  const wrong = (why: string) => refusal(`returned invalid metadata: ${why}`);
  if (metadata === undefined) throw wrong('missing metadata in converted object');
  if (!isObject(metadata)) throw wrong(`invalid metadata of type ${goType(metadata)} in converted object`);
  const texts = {
    labels: textsOf(metadata, 'labels', own, wrong),
    annotations: textsOf(metadata, 'annotations', own, wrong),
  };
  const kept = without(own, 'labels', 'annotations');
  return {
    ...result,
    apiVersion: desiredAPIVersion,
    kind: original.kind,
    metadata: {
      ...kept,
      ...(texts.labels && { labels: texts.labels }),
      ...(texts.annotations && { annotations: texts.annotations }),
    },
  };
}

type Texts = Readonly<Record<string, string>>;

/** Labels or annotations as the webhook wants them. */
function textsOf(
  metadata: JsonObject,
  field: 'labels' | 'annotations',
  own: JsonObject,
  wrong: (why: string) => StatusError,
): Texts | undefined {
  const found = metadata[field];
  if (found === undefined || found === null) return undefined;
  if (!isObject(found)) throw wrong(`invalid metadata.${field} of type ${goType(found)} in converted object`);
  for (const [key, value] of Object.entries(found)) {
    if (typeof value !== 'string') {
      throw wrong(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    }
  }
  const texts = found as Texts;
  if (JSON.stringify(texts) === JSON.stringify(own[field])) return texts;
  const problems = field === 'labels' ? labelMapProblems(texts, 'metadata.labels') : annotationProblems(texts);
  if (problems.length > 0) throw wrong(problemsText(problems));
  return texts;
}

const annotationProblems = (annotations: Texts): readonly Problem[] =>
  Object.keys(annotations).flatMap((key) =>
    qualifiedNameProblems(key.toLowerCase()).map((why) => invalidValue('metadata.annotation', key, why)),
  );

const goKind = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
