/** The fields of structs that no set names, because what is below them says it. */
import { fieldName, type PathSet } from '@keelson/core/fields';
import { isUntyped, type TypeSchema } from '../schemas/type-schema.ts';

/**
 * Also the named fields of structs on the way to a member, which are otherwise in no set: to remove all of a struct's
 * fields is to remove the struct. Members of maps and items of lists are named in sets anyway.
 */
export function withNamedFields(set: PathSet, type: TypeSchema | undefined): PathSet {
  if (set.children.size === 0 || isUntyped(type)) return set;
  const children = new Map<string, PathSet>();
  for (const [step, child] of set.children) {
    const name = fieldName(step);
    const field = name === undefined ? undefined : type?.map?.fields.get(name);
    const below = name === undefined ? type?.list?.items : (field?.type ?? type?.map?.additional);
    const named = withNamedFields(child, below);
    children.set(step, field !== undefined && !named.member ? { member: true, children: named.children } : named);
  }
  return { member: set.member, children };
}
