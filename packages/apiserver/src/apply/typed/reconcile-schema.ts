/**
 * Field sets that were written under an older schema: where a list or map has become atomic since, the owner of its
 * parts owns it as a whole. (The other way round nothing needs to change: the whole is still owned.)
 */

import { fieldName, leaf, type PathSet } from '@keelson/core/fields';
import { deducedSchema, type MapType, type TypeSchema } from '../schemas/type-schema.ts';

/** The same set when the schema agrees with it. */
export function reconcileWithSchema(set: PathSet, type: TypeSchema): PathSet {
  return reconcile({ member: false, children: set.children }, type, set);
}

function reconcile(set: PathSet, type: TypeSchema, unchanged: PathSet = set): PathSet {
  if (set.member && set.children.size === 0) return unchanged;
  if (type.map !== undefined) {
    if (isUnknown(type.map)) return unchanged;
    if (type.map.relationship === 'atomic') return set.children.size > 0 ? leaf : unchanged;
    return each(unchanged, (step) => memberType(type.map as MapType, step));
  }
  if (type.scalar !== undefined || type.list === undefined) return unchanged;
  if (type.list.relationship === 'atomic') return leaf;
  const { items } = type.list;
  return each(unchanged, () => items);
}

function each(set: PathSet, typeOf: (step: string) => TypeSchema | undefined): PathSet {
  let children: Map<string, PathSet> | undefined;
  for (const [step, child] of set.children) {
    const type = typeOf(step);
    const reconciled = type === undefined ? child : reconcile(child, type);
    if (reconciled === child) continue;
    children ??= new Map(set.children);
    children.set(step, reconciled);
  }
  return children === undefined ? set : { member: set.member, children };
}

function memberType(map: MapType, step: string): TypeSchema | undefined {
  const name = fieldName(step);
  return (name === undefined ? undefined : map.fields.get(name)?.type) ?? map.additional;
}

/** Nothing is known of its members, so nothing can have changed. */
function isUnknown(map: MapType): boolean {
  return map.fields.size === 0 && map.additional === deducedSchema;
}
