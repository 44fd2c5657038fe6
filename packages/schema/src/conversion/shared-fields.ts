/**
 * What two versions have in common: fields of the same path and type are copied from one to the other, as they are.
 *
 * Values are not looked at: one that the other version would refuse is shown there all the same.
 */
import { isObject } from '@keelson/core';
import { changeFields, setField } from '../tree/change.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';

/** As much of a value as the schema `to` has room for; undefined for nothing. Without `from`, the value tells its type. */
export function sharedFields(from: SchemaNode | undefined, to: SchemaNode, value: unknown): unknown {
  if (takesAnything(to)) return value;
  if (value === null) return to.isNullable ? null : undefined;
  if (from === undefined ? !isOfType(typeOf(to), value) : typeOf(from) !== typeOf(to)) return undefined;
  if (Array.isArray(value)) return sharedItems(from?.items, to.items, value);
  return isObject(value) ? changeFields(value, (field, name) => sharedField(from, to, field, name)) : value;
}

/** A list is copied whole, or not at all. */
function sharedItems(
  from: SchemaNode | undefined,
  to: SchemaNode | undefined,
  list: readonly unknown[],
): readonly unknown[] | undefined {
  if (to === undefined) return undefined;
  const items = list.map((item) => sharedFields(from, to, item));
  return items.includes(undefined) ? undefined : items;
}

const ofResource = new Set(['apiVersion', 'kind', 'metadata']);

function sharedField(from: SchemaNode | undefined, to: SchemaNode, value: unknown, name: string): unknown {
  if (to.isEmbedded && ofResource.has(name)) return value;
  const field = fieldNode(to, name);
  if (field !== undefined) return sharedFields(fieldNode(from, name), field, value);
  return to.preservesUnknown || to.additional === 'open' ? value : undefined;
}

const takesAnything = (node: SchemaNode) => node.preservesUnknown && typeOf(node) === 'any';

function typeOf({ schema }: SchemaNode): string {
  return schema['x-kubernetes-int-or-string'] ? 'int-or-string' : (schema.type ?? 'any');
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'int-or-string':
      return Number.isInteger(value) || typeof value === 'string';
    default:
      return typeof value === type;
  }
}

/**
 * A value with changes laid over it: fields of objects one by one, anything else whole. A change to `undefined` takes the
 * field away.
 */
export function withChanges(value: unknown, changes: unknown): unknown {
  if (!isObject(changes)) return changes;
  const result: Record<string, unknown> = { ...(isObject(value) ? value : {}) };
  for (const [name, change] of Object.entries(changes)) {
    const field = withChanges(Object.hasOwn(result, name) ? result[name] : undefined, change);
    if (field === undefined) delete result[name];
    else setField(result, name, field);
  }
  // `status: { nodes: undefined }` says nothing, and makes no status.
  const saysNothing = Object.keys(result).length === 0 && Object.keys(changes).length > 0;
  return saysNothing && value === undefined ? undefined : result;
}
