/** Lists of the types `set` and `map`: no item twice, and no key twice. */

import { isObject } from '@keelson/core';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { goJson } from '../wording/go-text.ts';
import { duplicateValue, invalidValue, type Problem } from '../wording/problem.ts';

/** Items and keys that occur twice, in a value and below. */
export function listTypeProblems(node: SchemaNode | undefined, value: unknown, field = ''): readonly Problem[] {
  if (node === undefined || !node.has.lists) return [];
  if (Array.isArray(value)) {
    return [
      ...(node.listType === 'set' ? setProblems(value, field) : []),
      ...(node.listMapKeys !== undefined ? mapProblems(value, node.listMapKeys, field) : []),
      ...value.flatMap((item, i) => listTypeProblems(node.items, item, `${field}[${i}]`)),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const place = node.properties.has(name) ? (field === '' ? name : `${field}.${name}`) : `${field}[${name}]`;
    return listTypeProblems(fieldNode(node, name), each, place);
  });
}

function setProblems(list: readonly unknown[], field: string): readonly Problem[] {
  return repeated(list).map((i) => duplicateValue(`${field}[${i}]`, list[i]));
}

function mapProblems(list: readonly unknown[], keys: readonly string[], field: string): readonly Problem[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    return [invalidValue(`${field}[${wrong}]`, list[wrong], 'must be an object for an array of list-type map')];
  }
  const found = list.map((item) =>
    Object.fromEntries(keys.flatMap((key) => (isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : []))),
  );
  return repeated(found).map((i) => duplicateValue(`${field}[${i}]`, found[i]));
}

/** Where an item stands for the second time; further times are not reported. */
function repeated(list: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  return list.flatMap((item, i) => {
    const text = goJson(item);
    const count = times.get(text) ?? 0;
    times.set(text, count + 1);
    return count === 1 ? [i] : [];
  });
}
