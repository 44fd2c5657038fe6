/** Nulls where the schema allows none, and has no default that could take their place: they are dropped without a word. */
import { isObject } from '@keelson/core';
import { changeFields, changeItems } from '../tree/change.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';

/** The value of a field; undefined when it goes. */
export function dropNull(parent: SchemaNode, value: unknown, name: string): unknown {
  const node = fieldNode(parent, name);
  if (value === null && node !== undefined && !node.isNullable && node.default === undefined) return undefined;
  return dropNulls(node, value);
}

function dropNulls(node: SchemaNode | undefined, value: unknown): unknown {
  if (node === undefined) return value;
  if (Array.isArray(value)) return changeItems(value, (item) => dropNulls(node.items, item));
  return isObject(value) ? changeFields(value, (field, name) => dropNull(node, field, name)) : value;
}
