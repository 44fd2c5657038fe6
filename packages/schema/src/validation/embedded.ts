/** Embedded resources: their apiVersion, kind and metadata are decoded and checked like those of any object. */

import { dns1035Label, pathSegment, pathSegmentPrefix } from '../metadata/name-rules.ts';
import { decodeObjectMeta } from '../metadata/object-meta.ts';
import { objectMetaCauses } from '../metadata/object-meta-causes.ts';
import { changeFields, changeItems } from '../tree/change.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { type Cause, causeText, invalid, required } from '../wording/cause.ts';
import { compareBytes, isObject } from '../wording/go-text.ts';

export interface Coerced {
  readonly value: unknown;
  /** Unknown fields of metadata, which were dropped. */
  readonly unknown: readonly string[];
  /** Why a resource cannot be decoded. */
  readonly malformed?: string;
}

class Malformed extends Error {
  readonly why: Cause;
  constructor(why: Cause) {
    super(causeText(why));
    this.why = why;
  }
}

export function coerceEmbedded(root: SchemaNode, object: unknown): Coerced {
  const unknown: string[] = [];
  try {
    return { value: coerce(root, object, '', unknown), unknown: unknown.sort(compareBytes) };
  } catch (error) {
    if (error instanceof Malformed) return { value: object, unknown: [], malformed: error.message };
    throw error;
  }
}

/** Why a value cannot be decoded, as a cause; `field` is where it stands. */
export function malformedResource(node: SchemaNode, value: unknown, field: string): Cause | undefined {
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
      throw new Malformed(invalid(place, each, 'must be a string'));
    }
    if (node.isEmbedded && name === 'metadata') {
      const decoded = decodeObjectMeta(each);
      if ('malformed' in decoded) throw new Malformed(invalid(place, each, decoded.malformed));
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

export function embeddedCauses(node: SchemaNode | undefined, value: unknown, field = ''): readonly Cause[] {
  if (node === undefined || !node.has.embedded) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => embeddedCauses(node.items, item, `${field}[${i}]`));
  if (!isObject(value)) return [];
  return [
    ...(node.isEmbedded ? resourceCauses(value, field) : []),
    ...Object.entries(value).flatMap(([name, each]) =>
      embeddedCauses(fieldNode(node, name), each, childField(node, field, name)),
    ),
  ];
}

/** What is wrong with an embedded resource's own fields; `field` is '' for a whole object. */
export function resourceCauses(resource: Readonly<Record<string, unknown>>, field: string): readonly Cause[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const { apiVersion, kind, metadata } = resource;
  return [
    ...('apiVersion' in resource ? apiVersionCauses(apiVersion, at('apiVersion')) : [required(at('apiVersion'))]),
    ...('kind' in resource ? kindCauses(kind, at('kind')) : [required(at('kind'))]),
    ...('metadata' in resource ? metadataCauses(metadata, at('metadata')) : []),
  ];
}

function apiVersionCauses(apiVersion: unknown, field: string): readonly Cause[] {
  if (typeof apiVersion !== 'string') return [invalid(field, apiVersion, 'must be a string')];
  if (apiVersion === '') return [invalid(field, apiVersion, 'must not be empty')];
  return apiVersion.split('/').length > 2
    ? [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : [];
}

function kindCauses(kind: unknown, field: string): readonly Cause[] {
  if (typeof kind !== 'string') return [invalid(field, kind, 'must be a string')];
  if (kind === '') return [invalid(field, kind, 'must not be empty')];
  const messages = dns1035Label(kind.toLowerCase());
  return messages.length > 0
    ? [invalid(field, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`)]
    : [];
}

function metadataCauses(metadata: unknown, field: string): readonly Cause[] {
  const decoded = decodeObjectMeta(metadata);
  if ('malformed' in decoded) return [invalid(field, metadata, decoded.malformed)];
  const { name, namespace, ...rest } = decoded.value as Readonly<Record<string, unknown>>;
  // An embedded resource needs no name, and no namespace.
  return objectMetaCauses({ ...rest, name: name ?? 'any', namespace }, field, {
    isNamespaced: namespace !== undefined,
    name: pathSegment,
    namePrefix: pathSegmentPrefix,
  });
}
