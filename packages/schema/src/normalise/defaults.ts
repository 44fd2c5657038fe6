/**
 * Defaulting: absent fields get the schema's default, and so do nulls where the schema allows none.
 *
 * Promises: doing it twice changes nothing more; defaults inside of a default apply too.
 */
import { isObject } from '@keelson/core';
import { changeFields, changeItems, setField } from '../tree/change.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';

/** The value with the defaults of its schema. */
export function fillDefaults(node: SchemaNode | undefined, value: unknown): unknown {
  if (node === undefined || !node.has.defaults) return value;
  if (Array.isArray(value)) return changeItems(value, (item) => fillDefaults(node.items, orDefault(node.items, item)));
  if (!isObject(value)) return value;
  return changeFields(withAbsent(node, value), (field, name) => {
    const child = fieldNode(node, name);
    return fillDefaults(child, orDefault(child, field));
  });
}

function withAbsent(node: SchemaNode, object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | undefined;
  for (const [name, field] of node.properties) {
    if (field.default === undefined || Object.hasOwn(object, name)) continue;
    copy ??= { ...object };
    setField(copy, name, field.default);
  }
  return copy ?? object;
}

function orDefault(node: SchemaNode | undefined, value: unknown): unknown {
  return value === null && node !== undefined && !node.isNullable ? (node.default ?? null) : value;
}
