/**
 * One ConversionReview answered by the kinds of an operator: each object in the version that is asked for, in their order.
 *
 * One object that cannot be converted fails the whole review, as the API server wants it; the answer says which and why.
 */
import { type Conversion, isObject, type JsonObject, type Kind, type Status } from '@keelson/core';

/** `request` of a ConversionReview. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly JsonObject[];
}

/** `response` of a ConversionReview. */
export interface ConversionResponse {
  readonly uid: string;
  readonly result: Status;
  readonly convertedObjects?: readonly JsonObject[];
}

/** Who hears what a conversion has to say beside its answer. */
export interface ConversionListener {
  /** What the author's code threw. */
  onFailure(error: unknown): void;
  /** What was left out of an object, and why. */
  onWarning(text: string, object: string): void;
}

/** Converts all objects, or says which one cannot be. */
export function convertAll(
  kinds: readonly Kind[],
  { uid, desiredAPIVersion, objects }: ConversionRequest,
  { onFailure, onWarning }: ConversionListener,
): ConversionResponse {
  const convertedObjects: JsonObject[] = [];
  for (const object of objects) {
    const what = nameOf(object);
    const conversion = conversionOf(kinds, object, desiredAPIVersion);
    if (conversion === undefined)
      return failure(uid, `${what} cannot be converted to ${desiredAPIVersion}: nobody here knows how`);
    try {
      convertedObjects.push(conversion.convert(object, desiredAPIVersion, (text) => onWarning(text, what)));
    } catch (error) {
      onFailure(error);
      const why = error instanceof Error ? error.message : String(error);
      return failure(uid, `${what} cannot be converted to ${desiredAPIVersion}: ${why}`);
    }
  }
  return { uid, result: { metadata: {}, status: 'Success' }, convertedObjects };
}

const failure = (uid: string, message: string): ConversionResponse => ({
  uid,
  result: { metadata: {}, status: 'Failure', message },
});

function conversionOf(
  kinds: readonly Kind[],
  { apiVersion, kind }: JsonObject,
  desired: string,
): Conversion | undefined {
  const [group, version = ''] = String(apiVersion).split('/');
  const [desiredGroup, desiredVersion = ''] = desired.split('/');
  const { conversion } = kinds.find((each) => each.group === group && each.kind === kind) ?? {};
  const isKnown =
    group === desiredGroup && [version, desiredVersion].every((each) => conversion?.versions.includes(each));
  return isKnown ? conversion : undefined;
}

function nameOf({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return `${apiVersion} ${kind} ${[namespace, name].filter(Boolean).join('/')}`;
}
