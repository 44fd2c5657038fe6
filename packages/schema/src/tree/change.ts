/** Changed copies of JSON values: a copy is made for the first change, and what stays the same is shared. */

/** The object with another value in each field for which `change` gives one; `undefined` takes the field away. */
export function changeFields(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown, name: string) => unknown,
): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const before = object[name];
    const after = change(before, name);
    if (after === before) continue;
    copy ??= { ...object };
    if (after === undefined) delete copy[name];
    else setField(copy, name, after);
  }
  return copy ?? object;
}

/** The list with another value for each item for which `change` gives one. */
export function changeItems(
  list: readonly unknown[],
  change: (value: unknown, index: number) => unknown,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, before] of list.entries()) {
    const after = change(before, index);
    if (after === before) continue;
    copy ??= [...list];
    copy[index] = after;
  }
  return copy ?? list;
}

/** Like an assignment, but a field `__proto__`, which JSON may have, is a field. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[name] = value;
  }
}
