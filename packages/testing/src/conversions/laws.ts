/**
 * What holds for conversions, whatever the object: each law says what is wrong with a case, or nothing.
 *
 * They look from outside: at what the kind converts, with and without what it carries along in annotations.
 */
import { type Conversion, equalJson, isObject, type JsonObject } from '@keelson/core';
import type { StructuralSchema } from '@keelson/schema/validation';
import { type Edit, edited, pathText } from './edit.ts';
import type { Fields } from './random-object.ts';

export interface Versions {
  readonly conversion: Conversion;
  readonly apiVersionOf: (version: string) => string;
  readonly kind: string;
  readonly structural: (version: string) => StructuralSchema;
}

/** An object in one version, which is seen in another, and perhaps edited there. */
export interface Case {
  readonly from: string;
  readonly to: string;
  readonly fields: Fields;
  readonly edit?: Edit | undefined;
}

/** What a law found: in words, or that the case says nothing. */
export type Finding = { readonly problem: string } | 'fine' | 'no case';

interface Converted {
  readonly fields: Fields;
  readonly metadata: JsonObject;
}

const metadata = Object.freeze({ name: 'object', namespace: 'default' });

function convert(
  versions: Versions,
  from: string,
  to: string,
  { fields, metadata: own }: Converted,
  warnings: string[],
) {
  const object = { apiVersion: versions.apiVersionOf(from), kind: versions.kind, metadata: own, ...fields };
  const answer = versions.conversion.convert(frozen(object), versions.apiVersionOf(to), (text) => warnings.push(text));
  const { apiVersion, kind, metadata: given, ...converted } = answer;
  return { apiVersion, kind, metadata: given as JsonObject, fields: converted };
}

/** All laws on one case. */
export function findingOf(versions: Versions, { from, to, fields, edit }: Case): Finding {
  const warnings: string[] = [];
  const through = (start: string, end: string, object: Converted) => convert(versions, start, end, object, warnings);
  try {
    const there = through(from, to, { fields, metadata });
    const unfit = misfit(versions.structural(to), there);
    if (unfit !== undefined) return { problem: `in ${to} it is wrong: ${unfit}` };
    if (edit === undefined) {
      const back = through(to, from, there);
      const lost = difference(fields, back.fields, []);
      if (lost !== undefined) return { problem: `back from ${to}, ${lost}` };
      const traces = difference(metadata, back.metadata, ['metadata']);
      if (traces !== undefined) return { problem: `back from ${to}, ${traces}` };
      if (equalJson(metadata, there.metadata)) return 'fine';
      // Somebody copies the metadata into a manifest of the first version, and leaves out what went along.
      const copied = { fields: through(to, from, { ...there, metadata }).fields, metadata: there.metadata };
      if (versions.structural(from).validate({ metadata, ...copied.fields }).length > 0) return 'fine';
      const resurrected = difference(copied.fields, through(to, from, through(from, to, copied)).fields, []);
      return resurrected === undefined ? 'fine' : { problem: `with metadata copied from ${to}, ${resurrected}` };
    }
    const changed = edited(there.fields, edit);
    if (!isObject(changed)) return 'no case';
    const structural = versions.structural(to);
    const now = structural.default(structural.prune(changed).value) as Fields;
    const before = { metadata, ...there.fields };
    if (equalJson(now, there.fields) || structural.validate({ metadata, ...now }, before).length > 0) return 'no case';
    const back = through(to, from, { ...there, fields: now });
    // An edit may make wrong what was kept: it is left out, and told.
    if (warnings.length > 0) return 'no case';
    const plain = (each: Fields) => through(to, from, { fields: each, metadata }).fields;
    const all = [fields, back.fields, plain(there.fields), plain(now)] as const;
    const explained = unexplained(edit, ...all, []);
    if (explained !== undefined) return { problem: `after ${editText(to, edit)}, ${explained}` };
    const again = through(from, to, back);
    const lost = difference(now, again.fields, []);
    return lost === undefined ? 'fine' : { problem: `after ${editText(to, edit)} and a way through ${from}, ${lost}` };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether an edit in `to` is seen in `from` at all, other than by what goes along. */
export function isSeen(versions: Versions, { from, to, fields, edit }: Required<Case>): boolean {
  const there = convert(versions, from, to, { fields, metadata }, []).fields;
  const now = edit && edited(there, edit);
  if (!isObject(now)) return false;
  const plain = (each: Fields) => convert(versions, to, from, { fields: each, metadata }, []).fields;
  return !equalJson(plain(there), plain(now));
}

const editText = (version: string, { path, value }: Edit) =>
  value === undefined
    ? `taking ${pathText(path)} away in ${version}`
    : `setting ${pathText(path)} to ${text(value)} in ${version}`;

/** Beyond limits is as it should be; of a wrong form is not. */
function misfit(
  structural: StructuralSchema,
  { apiVersion, kind, fields }: ReturnType<typeof convert>,
): string | undefined {
  const wrong = structural
    .validate({ apiVersion, kind, metadata, ...fields })
    .find(({ reason }) => reason === 'FieldValueRequired' || reason === 'FieldValueTypeInvalid');
  return wrong && `${wrong.field}: ${wrong.message}`;
}

type Path = readonly (string | number)[];

/** The first place where two values differ, in words. */
function difference(before: unknown, after: unknown, path: Path): string | undefined {
  if (equalJson(before, after)) return undefined;
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const found = difference(before[name], after[name], [...path, name]);
      if (found !== undefined) return found;
    }
  }
  return change(before, after, path);
}

/**
 * A field that is not what it should be: what it was, where the edit gives the same as before without what goes along;
 * what the edit gives, where that is something else. Lists whose items an edit changed are not looked into.
 */
function unexplained(
  edit: Edit,
  was: unknown,
  is: unknown,
  plain: unknown,
  plainNow: unknown,
  path: Path,
): string | undefined {
  if (equalJson(plain, plainNow)) return difference(was, is, path);
  // Of an object that was made of other fields, which are gone, the rest stays; one that was taken away itself does not.
  const isTakenAway = edit.path.every((each, i) => each === path[i]);
  if (isObject(plain) && plainNow === undefined && isObject(is) && !isTakenAway) {
    return unexplained(edit, was, is, plain, {}, path);
  }
  if (isObject(plain) && isObject(plainNow) && isObject(is)) {
    const names = new Set([was, is, plain, plainNow].flatMap((each) => (isObject(each) ? Object.keys(each) : [])));
    for (const name of names) {
      const of = (value: unknown) => (isObject(value) ? value[name] : undefined);
      const found = unexplained(edit, of(was), of(is), of(plain), of(plainNow), [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(plainNow) && Array.isArray(is)) {
    return plainNow.length === is.length || Array.isArray(was) ? undefined : change(plainNow, is, path);
  }
  return isObject(plainNow) && isObject(is) ? undefined : difference(plainNow, is, path);
}

function change(before: unknown, after: unknown, path: Path): string {
  if (after === undefined) return `${pathText(path)} is gone, which was ${text(before)}`;
  if (before === undefined) return `${pathText(path)} has appeared, as ${text(after)}`;
  return `${pathText(path)} is ${text(after)}, and was ${text(before)}`;
}

const text = (value: unknown) => JSON.stringify(value) ?? 'nothing';

/** A function that changes what it is given fails. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const each of Object.values(Object.freeze(value))) frozen(each);
  }
  return value;
}
