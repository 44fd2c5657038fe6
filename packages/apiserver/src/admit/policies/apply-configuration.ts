/** An object with an apply configuration merged into it, as server-side apply merges, but without owners. */
import { fieldStep, printStep } from '@keelson/core/fields';
import type { ObjectType, TypeSchema } from '../../apply/index.ts';
import { merge } from '../../apply/typed/merge.ts';
import { printProblems, problemsOf } from '../../apply/typed/validate.ts';
import { type ApiObject, isObject, type JsonObject } from '../../object.ts';
import { MutationFailed } from './mutation-failed.ts';

/** Throws `MutationFailed`. */
export function withConfiguration(object: ApiObject, configuration: JsonObject, { schema }: ObjectType): JsonObject {
  const { apiVersion, kind } = object;
  const wanted = { ...configuration, apiVersion, kind };
  const problems = problemsOf(wanted, schema, 'forbidden');
  if (problems.length > 0) fail(`failed to convert patch object to typed object: ${printProblems(problems)}`);
  const atomics = atomicsIn(wanted, schema, '');
  if (atomics.length > 0) {
    fail(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  }
  const misfits = problemsOf(object, schema, 'allowed');
  if (misfits.length > 0) fail(`failed to convert original object to typed object: ${printProblems(misfits)}`);
  return merge(object, wanted, schema) as JsonObject;
}

function fail(why: string): never {
  throw new MutationFailed(`error applying patch: ${why}`);
}

/** What has one owner as a whole would lose the fields that are not named, which hardly anyone means. */
function atomicsIn(value: unknown, { map, list }: TypeSchema, path: string): readonly string[] {
  if (isObject(value) && map !== undefined) {
    const below = Object.keys(value)
      .sort()
      .flatMap((name) => {
        const field = map.fields.get(name);
        return field === undefined ? [] : atomicsIn(value[name], field.type, path + printStep(fieldStep(name)));
      });
    return map.relationship === 'atomic' ? [path, ...below] : below;
  }
  if (Array.isArray(value) && list !== undefined) {
    const below = value.flatMap((item, index) => atomicsIn(item, list.items, `${path}[${index}]`));
    return list.relationship === 'atomic' ? [path, ...below] : below;
  }
  return [];
}
