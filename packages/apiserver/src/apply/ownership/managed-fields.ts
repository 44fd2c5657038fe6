/**
 * managedFields: who owns which fields, by the last operation of each manager.
 *
 * An applier has one entry whatever the version it speaks; an updater has one per version. Subresources have their own.
 */
import type { FieldSet } from '@keelson/core';
import { compareText, decodeFields, encodeFields, type PathSet } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { isList, type Json, withMember } from '../typed/json.ts';

export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Ownership extends Manager {
  /** `undefined` where it was not recorded. */
  readonly time: string | undefined;
  readonly fields: PathSet;
}

/** By `managerId`. */
export type Managers = ReadonlyMap<string, Ownership>;

/** Entries with equal ids are one manager's; ids are ordered as the server orders them. */
export function managerId({ manager, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager: manager === '' ? undefined : manager,
    operation,
    apiVersion: operation === 'Update' ? apiVersion : undefined,
    subresource: subresource === '' ? undefined : subresource,
  });
}

export function managedFieldsOf(object: JsonObject | undefined): Json {
  const metadata = object?.metadata;
  return isObject(metadata) ? metadata.managedFields : undefined;
}

/** The object without them when `entries` is `undefined`; an object without metadata has none. */
export function withManagedFields(object: JsonObject, entries: readonly Json[] | undefined): JsonObject {
  const metadata = object.metadata;
  if (!isObject(metadata)) return entries === undefined ? object : { ...object, metadata: { managedFields: entries } };
  return withMember(object, 'metadata', withMember(metadata, 'managedFields', entries));
}

/** Throws with the server's words for entries that it would not accept. */
export function decodeManagers(entries: Json): Managers {
  const managers = new Map<string, Ownership>();
  if (entries === undefined || entries === null) return managers;
  if (!isList(entries)) throw new TypeError('managedFields is not a list');
  for (const [index, entry] of entries.entries()) {
    const ownership = decodeEntry(isObject(entry) ? entry : {}, index);
    managers.set(managerId(ownership), ownership);
  }
  return managers;
}

function decodeEntry(entry: JsonObject, index: number): Ownership {
  const { operation, apiVersion, fieldsType, fieldsV1, manager, subresource, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new TypeError('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new TypeError('apiVersion must not be empty');
  if (fieldsType === undefined || fieldsType === null || fieldsType === '') {
    throw new TypeError(`missing fieldsType in managed fields entry ${index}`);
  }
  if (fieldsType !== 'FieldsV1') {
    throw new TypeError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  return {
    manager: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    subresource: typeof subresource === 'string' ? subresource : '',
    time: typeof time === 'string' ? time : undefined,
    fields: cachedFields(fieldsV1 ?? {}),
  };
}

/** Stored entries are decoded on every write, and rarely differ from those of the write before. */
const decoded = new WeakMap<object, PathSet>();
const encoded = new WeakMap<PathSet, FieldSet>();

function cachedFields(fieldsV1: Json): PathSet {
  if (!isObject(fieldsV1) || !Object.isFrozen(fieldsV1)) return decodeFields(fieldsV1);
  let fields = decoded.get(fieldsV1);
  if (fields === undefined) {
    fields = decodeFields(fieldsV1);
    decoded.set(fieldsV1, fields);
    encoded.set(fields, fieldsV1 as FieldSet);
  }
  return fields;
}

/** In the server's order: appliers first, then by time, manager, version and subresource; `undefined` for none. */
export function encodeManagers(managers: Managers): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  return Array.from(managers.values()).sort(byOperationAndTime).map(encodeEntry);
}

function encodeEntry({ manager, operation, apiVersion, subresource, time, fields }: Ownership): JsonObject {
  return {
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encoded.get(fields) ?? encodeFields(fields),
    ...(subresource !== '' && { subresource }),
  };
}

function byOperationAndTime(a: Ownership, b: Ownership): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function secondsOf({ time }: Ownership): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;
}
