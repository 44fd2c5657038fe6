/**
 * Steps: how a field set names one part of its container, in the text form that `FieldsV1` has.
 *
 * `f:name` is a member, `k:{…}` the list item with those keys, `v:…` the set item of that value, `i:n` the item at that
 * index. Equal parts have equal steps, byte for byte as the real server writes them, so steps are map keys.
 */
import { isObject } from '../json-object.ts';
import { cut } from '../names.ts';
import { compareText, goJson } from './go-json.ts';

/** What a step is told apart and ordered by. */
export type Step =
  | { readonly kind: 'f'; readonly name: string }
  | { readonly kind: 'k'; readonly keys: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'v'; readonly value: unknown }
  | { readonly kind: 'i'; readonly index: number };

/** The step to a field of an object. */
export function fieldStep(name: string): string {
  return `f:${name}`;
}

/** The step to an element of a set, by its value. */
export function valueStep(value: unknown): string {
  return `v:${goJson(value)}`;
}

/** The keys in any order; a step has them sorted by name. */
export function keyStep(keys: readonly (readonly [string, unknown])[]): string {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return `k:{${goJson(first[0])}:${goJson(first[1])}}`;
  const sorted = keys.toSorted(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

/** The name of a member, or `undefined` for a step into a list. */
export function fieldName(step: string): string | undefined {
  return step.startsWith('f:') ? step.slice(2) : undefined;
}

/** A step that someone wrote, in canonical form; `undefined` for a kind of step that is not known yet. */
export function canonicalStep(text: string): string | undefined {
  if (text.length < 2) throw new SyntaxError(`key must be 2 characters long: ${JSON.stringify(text)}`);
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${cut(text)}`);
  switch (text[0]) {
    case 'f':
      return text;
    case 'k':
      return keyStep(keysOf(text.slice(2)));
    case 'v':
      return valueStep(JSON.parse(text.slice(2)));
    case 'i': {
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new SyntaxError(`not an index: ${cut(text)}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** For people: `.name`, `[key="x",port=80]`, `[="x"]`, `[3]`. */
export function printStep(step: string): string {
  const parsed = parseStep(step);
  switch (parsed.kind) {
    case 'f':
      return `.${parsed.name}`;
    case 'k':
      return `[${parsed.keys.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`;
    case 'v':
      return `[=${printValue(parsed.value)}]`;
    case 'i':
      return `[${parsed.index}]`;
  }
}

export function sortedSteps(steps: Iterable<string>): string[] {
  const list = Array.from(steps);
  if (list.every((step) => step.startsWith('f:'))) return list.sort(compareText);
  const parsed = list.map((step) => ({ step, parsed: parseStep(step) }));
  return parsed.sort((a, b) => compareSteps(a.parsed, b.parsed)).map(({ step }) => step);
}

/** Takes a canonical step. */
export function parseStep(step: string): Step {
  const rest = step.slice(2);
  switch (step[0]) {
    case 'f':
      return { kind: 'f', name: rest };
    case 'k':
      return { kind: 'k', keys: keysOf(rest) };
    case 'v':
      return { kind: 'v', value: JSON.parse(rest) };
    default:
      return { kind: 'i', index: Number(rest) };
  }
}

const keyPattern = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,:{}[\]"]+)\s*([,}])/y;

/**
 * The members of a JSON object, nearly always of scalars. Those not by JSON.parse: in Node 24 it mistakes some names
 * that have escapes for other names that it has seen before (`"\""` for `\`), and the names here come from users.
 */
function keysOf(text: string): [string, unknown][] {
  const keys: [string, unknown][] = [];
  if (/^\s*\{\s*\}\s*$/.test(text)) return keys;
  keyPattern.lastIndex = text.indexOf('{') + 1;
  for (let end = ','; end === ','; ) {
    const [, name = '', value = '', next = ''] = keyPattern.exec(text) ?? [];
    if (name === '') return nestedKeysOf(text);
    keys.push([JSON.parse(name) as string, JSON.parse(value)]);
    end = next;
  }
  return keys;
}

/** A key that is a list or an object: no schema allows it, and yet a refusal has to name the item. */
function nestedKeysOf(text: string): [string, unknown][] {
  const keys: unknown = JSON.parse(text);
  if (!isObject(keys)) throw new SyntaxError(`not the keys of a list item: ${cut(text)}`);
  return Object.entries(keys);
}

const kindOrder = { f: 0, k: 1, v: 2, i: 3 } as const;

function compareSteps(a: Step, b: Step): number {
  if (a.kind === 'f' && b.kind === 'f') return compareText(a.name, b.name);
  if (a.kind === 'k' && b.kind === 'k') return compareKeys(a.keys, b.keys);
  if (a.kind === 'v' && b.kind === 'v') return compareValues(a.value, b.value);
  if (a.kind === 'i' && b.kind === 'i') return a.index - b.index;
  return kindOrder[a.kind] - kindOrder[b.kind];
}

function compareKeys(a: readonly (readonly [string, unknown])[], b: readonly (readonly [string, unknown])[]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const typeOrder: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2, object: 3 };

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const order = (typeOrder[typeof a] ?? 4) - (typeOrder[typeof b] ?? 4);
  // Keys and set items are scalars; anything else only needs some order.
  return order !== 0 ? order : compareText(goJson(a), goJson(b));
}

/** Go prints text quoted, everything else as it is; the members of an object with nothing between them. */
function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return members.map(([name, member]) => `${name}=${printValue(member)}`).join('');
}
