/**
 * ObjectMeta as the API server decodes it: unknown fields and empty values go, times become UTC seconds.
 *
 * Promises: what is already in that form is returned as it is.
 */

import { isObject } from '@keelson/core';
import { parseTime, utcSeconds } from '../formats/time.ts';
import { changeFields, changeItems } from '../tree/change.ts';
import { goNumber, isInteger } from '../wording/go-text.ts';

/** A value cannot be decoded at all; the message is Go's. */
class Malformed extends Error {}

/** Metadata in its form, with the fields that are unknown; or why it has none. */
export type Decoded = { readonly value: unknown; readonly unknown: readonly string[] } | { readonly malformed: string };

type Decode = (value: unknown, at: FieldPath) => unknown;

interface FieldPath {
  /** Where the value stands, such as `ownerReferences[0].name`. */
  readonly path: string;
  /** The same in Go's words: `OwnerReference.ownerReferences.name`. */
  readonly struct: string;
  readonly names: string;
  readonly unknown: string[];
}

/** Reads metadata as Go would. */
export function decodeObjectMeta(value: unknown): Decoded {
  const unknown: string[] = [];
  try {
    return { value: objectMeta(value, { path: '', struct: '', names: '', unknown }) ?? {}, unknown: unknown.sort() };
  } catch (error) {
    if (error instanceof Malformed) return { malformed: error.message };
    throw error;
  }
}

function refuse(value: unknown, type: string, { struct, names }: FieldPath): never {
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const shown = type === 'int64' && typeof value === 'number' ? ` ${goNumber(value)}` : '';
  const target = names === '' ? `Go value of type ${type}` : `Go struct field ${struct}.${names} of type ${type}`;
  throw new Malformed(`json: cannot unmarshal ${kind === 'bigint' ? 'number' : kind}${shown} into ${target}`);
}

function text(type = 'string'): Decode {
  return (value, at) => (typeof value === 'string' ? value || undefined : refuse(value, type, at));
}

const int64: Decode = (value, at) => (isInteger(value) ? value : refuse(value, 'int64', at));

const boolean: Decode = (value, at) => (typeof value === 'boolean' ? value : refuse(value, 'bool', at));

const time: Decode = (value, at) => {
  if (typeof value !== 'string') return refuse(value, 'string', at);
  const parsed = parseTime(value);
  if ('problem' in parsed) throw new Malformed(parsed.problem);
  return utcSeconds(parsed);
};

const texts: Decode = (value, at) => {
  if (!isObject(value)) return refuse(value, 'map[string]string', at);
  const decoded = changeFields(value, (field) =>
    field === null ? '' : typeof field === 'string' ? field : refuse(field, 'string', at),
  );
  return Object.keys(decoded).length > 0 ? decoded : undefined;
};

function list(type: string, item: Decode): Decode {
  return (value, at) => {
    if (!Array.isArray(value)) return refuse(value, `[]${type}`, at);
    const decoded = changeItems(value, (field, i) => item(field, { ...at, path: `${at.path}[${i}]` }) ?? '');
    return decoded.length > 0 ? decoded : undefined;
  };
}

function struct(name: string, fields: Readonly<Record<string, Decode>>): Decode {
  return (value, at) => {
    if (value === null) return {};
    if (!isObject(value)) return refuse(value, `v1.${name}`, at);
    return changeFields(value, (field, key) => {
      const place = { ...at, path: at.path === '' ? key : `${at.path}.${key}` };
      if (!Object.hasOwn(fields, key)) {
        at.unknown.push(place.path);
        return undefined;
      }
      if (field === null) return undefined;
      return fields[key]?.(field, { ...place, struct: name, names: at.names === '' ? key : `${at.names}.${key}` });
    });
  };
}

const ownerReference = struct('OwnerReference', {
  apiVersion: text(),
  kind: text(),
  name: text(),
  uid: text('types.UID'),
  controller: boolean,
  blockOwnerDeletion: boolean,
});

const managedFields = struct('ManagedFieldsEntry', {
  manager: text(),
  operation: text('v1.ManagedFieldsOperationType'),
  apiVersion: text(),
  time,
  fieldsType: text(),
  fieldsV1: (value) => value,
  subresource: text(),
});

const objectMeta = struct('ObjectMeta', {
  name: text(),
  generateName: text(),
  namespace: text(),
  selfLink: text(),
  uid: text('types.UID'),
  resourceVersion: text(),
  generation: (value, at) => int64(value, at) || undefined,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  labels: texts,
  annotations: texts,
  ownerReferences: list('v1.OwnerReference', ownerReference),
  finalizers: list('string', text()),
  managedFields: list('v1.ManagedFieldsEntry', managedFields),
});
