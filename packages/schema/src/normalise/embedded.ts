/** Embedded resources: their apiVersion, kind and metadata are decoded and checked like those of any object. */
import { isObject, type ObjectMeta } from '@keelson/core';

import { label1035Problems, pathSegmentProblems } from '../metadata/name-rules.ts';
import { decodeObjectMeta } from '../metadata/object-meta.ts';
import { objectMetaProblems } from '../metadata/object-meta-problems.ts';
import { changeFields, changeItems } from '../tree/change.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { compareBytes } from '../wording/go-text.ts';
import { invalidValue, type Problem, problemText, required } from '../wording/problem.ts';

/** A value whose embedded resources are in their form. */
export interface Coerced {
  readonly value: unknown;
  /** Unknown fields of metadata, which were dropped. */
  readonly unknown: readonly string[];
  /** Why a resource cannot be decoded. */
  readonly malformed?: string;
}

class Malformed extends Error {
  readonly why: Problem;
  constructor(why: Problem) {
    super(problemText(why));
    this.why = why;
  }
}

/** Brings the metadata of embedded resources into its form. */
export function coerceEmbedded(root: SchemaNode, object: unknown): Coerced {
  const unknown: string[] = [];
  try {
    return { value: coerce(root, object, '', unknown), unknown: unknown.sort(compareBytes) };
  } catch (error) {
    if (error instanceof Malformed) return { value: object, unknown: [], malformed: error.message };
    throw error;
  }
}

/** Why a value cannot be decoded, as a problem; `field` is where it stands. */
export function malformedResource(node: SchemaNode, value: unknown, field: string): Problem | undefined {
  try {
    coerce(node, value, field, []);
    return undefined;
  } catch (error) {
    if (error instanceof Malformed) return error.why;
    throw error;
  }
}

function coerce(node: SchemaNode | undefined, value: unknown, field: string, unknown: string[]): unknown {
  if (node === undefined || !node.has.embedded) return value;
  if (Array.isArray(value)) return changeItems(value, (item, i) => coerce(node.items, item, `${field}[${i}]`, unknown));
  if (!isObject(value)) return value;
  return changeFields(value, (each, name) => {
    const place = childField(node, field, name);
    if (node.isEmbedded && (name === 'apiVersion' || name === 'kind') && typeof each !== 'string') {
      throw new Malformed(invalidValue(place, each, 'must be a string'));
    }
    if (node.isEmbedded && name === 'metadata') {
      const decoded = decodeObjectMeta(each);
      if ('malformed' in decoded) throw new Malformed(invalidValue(place, each, decoded.malformed));
      unknown.push(...decoded.unknown.map((path) => `${place}.${path}`));
      return decoded.value;
    }
    return coerce(fieldNode(node, name), each, place, unknown);
  });
}

/** Names of the schema are appended with a dot, keys of a map in brackets. */
function childField(node: SchemaNode, field: string, name: string): string {
  if (node.properties.has(name) || node.isEmbedded) return field === '' ? name : `${field}.${name}`;
  return `${field}[${name}]`;
}

/** What is wrong with the embedded resources in a value. */
export function embeddedProblems(node: SchemaNode | undefined, value: unknown, field = ''): readonly Problem[] {
  if (node === undefined || !node.has.embedded) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => embeddedProblems(node.items, item, `${field}[${i}]`));
  if (!isObject(value)) return [];
  return [
    ...(node.isEmbedded ? resourceProblems(value, field) : []),
    ...Object.entries(value).flatMap(([name, each]) =>
      embeddedProblems(fieldNode(node, name), each, childField(node, field, name)),
    ),
  ];
}

/** What is wrong with an embedded resource's own fields; `field` is '' for a whole object. */
export function resourceProblems(resource: Readonly<Record<string, unknown>>, field: string): readonly Problem[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const { apiVersion, kind, metadata } = resource;
  return [
    ...('apiVersion' in resource ? apiVersionProblems(apiVersion, at('apiVersion')) : [required(at('apiVersion'))]),
    ...('kind' in resource ? kindProblems(kind, at('kind')) : [required(at('kind'))]),
    ...('metadata' in resource ? metadataProblems(metadata, at('metadata')) : []),
  ];
}

function apiVersionProblems(apiVersion: unknown, field: string): readonly Problem[] {
  if (typeof apiVersion !== 'string') return [invalidValue(field, apiVersion, 'must be a string')];
  if (apiVersion === '') return [invalidValue(field, apiVersion, 'must not be empty')];
  return apiVersion.split('/').length > 2
    ? [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : [];
}

function kindProblems(kind: unknown, field: string): readonly Problem[] {
  if (typeof kind !== 'string') return [invalidValue(field, kind, 'must be a string')];
  if (kind === '') return [invalidValue(field, kind, 'must not be empty')];
  const messages = label1035Problems(kind.toLowerCase());
  return messages.length > 0
    ? [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`)]
    : [];
}

function metadataProblems(metadata: unknown, field: string): readonly Problem[] {
  const decoded = decodeObjectMeta(metadata);
  if ('malformed' in decoded) return [invalidValue(field, metadata, decoded.malformed)];
  const { name = 'any', namespace, ...rest } = decoded.value as ObjectMeta;
  // An embedded resource needs no name, and no namespace.
  const rules = { namespaced: namespace !== undefined, nameProblems: pathSegmentProblems };
  return objectMetaProblems({ ...rest, name, namespace }, rules, field);
}
