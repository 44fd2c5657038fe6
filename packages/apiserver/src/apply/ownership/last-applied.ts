/**
 * From `kubectl apply` to `kubectl apply --server-side`: what the annotation of client-side apply says about owners.
 *
 * Only for the manager `kubectl`. Fields that it last applied on its own side, and that are still as it left them, are
 * its own, whoever is recorded for them. And as long as the annotation is there it is kept in step.
 */
import { difference, emptySet, goJson, type PathSet } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import type { ObjectType } from '../schemas/object-type.ts';
import { compare } from '../typed/compare.ts';
import { fieldsOf } from '../typed/fields-of.ts';
import { withMember } from '../typed/json.ts';
import { problemsOf } from '../typed/validate.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const maxAnnotationsBytes = 256 * 1024;

/** The fields that `kubectl` may take from others. */
export function lastAppliedFields(live: JsonObject, { schema, apiVersion }: ObjectType): PathSet {
  const last = parsed(annotationsOf(live)?.[annotation]);
  if (last === undefined || last.apiVersion !== apiVersion) return emptySet;
  if ([live, last].some((object) => problemsOf(object, schema, 'forbidden').length > 0)) return emptySet;
  const { modified, added, removed } = compare(last, live, schema);
  return difference(difference(difference(fieldsOf(last, schema), modified), added), removed);
}

/** `object` with the annotation as client-side apply would have written it, if it has one. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations?.[annotation]) return object;
  const updated: JsonObject = { ...annotations, [annotation]: `${goJson(withoutAnnotation(applied))}\n` };
  const isTooLong = bytesOf(updated) > maxAnnotationsBytes;
  return withAnnotations(object, isTooLong ? withMember(updated, annotation, undefined) : updated);
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied);
  return annotations === undefined ? applied : withAnnotations(applied, withMember(annotations, annotation, undefined));
}

function annotationsOf({ metadata }: JsonObject): JsonObject | undefined {
  return isObject(metadata) && isObject(metadata.annotations) ? metadata.annotations : undefined;
}

function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, annotations } };
}

function parsed(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`), 0);
}
