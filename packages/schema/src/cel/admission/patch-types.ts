/** What mutations are made of: `Object{…}` with the types of its fields, and `JSONPatch{…}`. */
import { type Constructible, type Library, overload } from '../language/environment.ts';
import { dyn, string, type Type } from '../language/types.ts';
import { Entries, Items, StructValue, sizeOf, type Value } from '../language/values.ts';

const patchFields: ReadonlyMap<string, Type> = new Map([
  ['op', string],
  ['from', string],
  ['path', string],
  ['value', dyn],
]);

/** The types of the fields of `Object` and all below it, and of `JSONPatch`; undefined for other types. */
export function patchFieldType(name: string): ((field: string) => Type | undefined) | undefined {
  if (name === 'JSONPatch') return (field) => patchFields.get(field);
  return name === 'Object' || name.startsWith('Object.') ? () => dyn : undefined;
}

/** Makes values of these types. */
export function patchTypes(name: string): Constructible | undefined {
  const fieldType = patchFieldType(name);
  return fieldType && { fieldType, make: (fields) => new StructValue(name, fields) };
}

/** `jsonpatch.escapeKey`. */
export const jsonPatches: Library = [
  overload("'jsonpatch.escapeKey'(string): string", (key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'), {
    cost: (args) => Math.ceil(sizeOf(args[0] ?? null) * 0.1),
  }),
];

/**
 * Where the types inside of an `Object` are not called by the fields in which they stand, in the server's words:
 * `Object{spec: Object.wrong{}}` is no such object.
 */
export function typeNameProblems(value: Value): readonly string[] {
  if (value instanceof Items) return [...value].flatMap(typeNameProblems); // of a patch with several operations
  if (!(value instanceof StructValue)) return [];
  const patched = value.name === 'JSONPatch' ? value.fields.get('value') : value;
  return patched instanceof StructValue ? misnamed(patched, patched.name) : [];
}

function misnamed(value: Value, expected: string): readonly string[] {
  if (value instanceof StructValue) {
    const own =
      value.name === expected
        ? []
        : [
            `unexpected type name ${JSON.stringify(value.name)}, expected ${JSON.stringify(expected)}, which matches field name path from root Object type`,
          ];
    return [...own, ...[...value.fields].flatMap(([name, field]) => misnamed(field, `${expected}.${name}`))];
  }
  return partsOf(value).flatMap((part) => misnamed(part, expected));
}

/** What an expression put into a list or a map that it made. */
function partsOf(value: Value): readonly Value[] {
  if (value instanceof Items) return [...value];
  if (!(value instanceof Entries)) return [];
  return [...value.keys()].map((key) => value.get(key) ?? null);
}
