/** Lists of the types `set` and `map`: no item twice, and no key twice. */

import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { type Cause, duplicate, invalid } from '../wording/cause.ts';
import { goJson, isObject } from '../wording/go-text.ts';

export function listTypeCauses(node: SchemaNode | undefined, value: unknown, field = ''): readonly Cause[] {
  if (node === undefined || !node.has.lists) return [];
  if (Array.isArray(value)) {
    return [
      ...(node.listType === 'set' ? setCauses(value, field) : []),
      ...(node.listMapKeys !== undefined ? mapCauses(value, node.listMapKeys, field) : []),
      ...value.flatMap((item, i) => listTypeCauses(node.items, item, `${field}[${i}]`)),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const place = node.properties.has(name) ? (field === '' ? name : `${field}.${name}`) : `${field}[${name}]`;
    return listTypeCauses(fieldNode(node, name), each, place);
  });
}

function setCauses(list: readonly unknown[], field: string): readonly Cause[] {
  return repeated(list).map((i) => duplicate(`${field}[${i}]`, list[i]));
}

function mapCauses(list: readonly unknown[], keys: readonly string[], field: string): readonly Cause[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    return [invalid(`${field}[${wrong}]`, list[wrong], 'must be an object for an array of list-type map')];
  }
  const found = list.map((item) =>
    Object.fromEntries(keys.flatMap((key) => (isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : []))),
  );
  return repeated(found).map((i) => duplicate(`${field}[${i}]`, found[i]));
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
