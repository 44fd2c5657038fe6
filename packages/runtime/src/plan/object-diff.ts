/**
 * Two states of an object as lines of YAML, with what goes and what comes marked. Pure.
 *
 * Only what differs is shown, under the names that lead to it. Items of lists are told apart by their names where they
 * have some, and by their content elsewhere; texts of several lines are compared line by line.
 */
import { equalJson, isObject, type JsonObject } from '@keelson/core';
import { isNothing, nameOf } from '../field-diff.ts';

/** A line of a diff. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  /** Indented, without the sign. */
  readonly text: string;
}

type Sign = DiffLine['sign'];

/** The lines in which two values differ; none if they do not. */
export function diffLines(before: unknown, after: unknown): readonly DiffLine[] {
  return differing(before, after, '');
}

function differing(before: unknown, after: unknown, indent: string): readonly DiffLine[] {
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      differingMember(name, before[name], after[name], indent),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return differingItems(before, after, indent);
  if (isText(before) && isText(after)) {
    return aligned(linesOf(before), linesOf(after)).flatMap(([old, now]) => {
      if (old !== undefined && now !== undefined) return [];
      return [{ sign: old === undefined ? '+' : '-', text: indent + (old ?? now ?? '') } as const];
    });
  }
  return [...whole('-', before, indent), ...whole('+', after, indent)];
}

function differingMember(name: string, before: unknown, after: unknown, indent: string): readonly DiffLine[] {
  if (equalJson(before, after) || (isNothing(before) && isNothing(after))) return [];
  const isInner = isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after);
  if (isInner || (isText(before) && isText(after) && blockOf(before) === blockOf(after))) {
    const head = { sign: ' ', text: `${indent}${name}:${isInner ? '' : ` ${blockOf(after)}`}` } as const;
    return [head, ...differing(before, after, `${indent}  `)];
  }
  return [...member('-', name, before, indent), ...member('+', name, after, indent)];
}

function differingItems(before: readonly unknown[], after: readonly unknown[], indent: string): readonly DiffLine[] {
  const names = [...before, ...after].map(nameOf);
  if (names.includes(undefined)) {
    return aligned(before, after).flatMap(([old, now]) =>
      old !== undefined && now !== undefined ? [] : [...item('-', old, indent), ...item('+', now, indent)],
    );
  }
  return [...new Set(names)].flatMap((name) => {
    const [old, now] = [before, after].map((items) => items.find((each) => nameOf(each) === name));
    if (old === undefined || now === undefined) return [...item('-', old, indent), ...item('+', now, indent)];
    const lines = differing(old, now, `${indent}  `);
    // Which item it is, said by the member that names it.
    const [key = ''] = Object.entries(now as JsonObject).find(([, value]) => String(value) === name) ?? [];
    return lines.length === 0 ? [] : [{ sign: ' ', text: `${indent}- ${key}: ${printed(name)}` } as const, ...lines];
  });
}

/** A value with all that is in it, on one side. */
function whole(sign: Sign, value: unknown, indent: string): readonly DiffLine[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each) => item(sign, each, indent));
  if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => member(sign, name, each, indent));
  return [{ sign, text: indent + printed(value) }];
}

function member(sign: Sign, name: string, value: unknown, indent: string): readonly DiffLine[] {
  if (isNothing(value)) return [];
  if (isText(value)) {
    const lines = linesOf(value).map((line) => ({ sign, text: `${indent}  ${line}` }));
    return [{ sign, text: `${indent}${name}: ${blockOf(value)}` }, ...lines];
  }
  if (!isContainer(value)) return [{ sign, text: `${indent}${name}: ${printed(value)}` }];
  return [{ sign, text: `${indent}${name}:` }, ...whole(sign, value, `${indent}  `)];
}

function item(sign: Sign, value: unknown, indent: string): readonly DiffLine[] {
  if (value === undefined) return [];
  const lines = whole(sign, value, `${indent}  `);
  const [first, ...rest] = lines.length > 0 ? lines : [{ sign, text: `${indent}  ${JSON.stringify(value)}` }];
  return [{ sign, text: `${indent}- ${first?.text.slice(indent.length + 2)}` }, ...rest];
}

type Pairs<T> = readonly (readonly [T | undefined, T | undefined])[];

/** More than this is not compared item by item: a text of ten thousand lines would take a gigabyte. */
const mostComparisons = 1_000_000;

/** Both lists in one order, what is equal on both sides side by side: beginnings, ends, and most of what lies between. */
function aligned<T>(before: readonly T[], after: readonly T[]): Pairs<T> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && equalJson(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equalJson(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const between: Pairs<T> =
    old.length * now.length > mostComparisons
      ? [...old.map((item) => [item, undefined] as const), ...now.map((item) => [undefined, item] as const)]
      : longestCommon(old, now);
  const both = (items: readonly T[]) => items.map((item) => [item, item] as const);
  return [...both(before.slice(0, head)), ...between, ...both(before.slice(before.length - tail))];
}

function longestCommon<T>(before: readonly T[], after: readonly T[]): Pairs<T> {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[];
      row[j] = equalJson(before[i], after[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [T | undefined, T | undefined][] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const isBoth = i < before.length && j < after.length && equalJson(before[i], after[j]);
    if (isBoth) pairs.push([before[i++], after[j++]]);
    else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
      pairs.push([before[i++], undefined]);
    else pairs.push([undefined, after[j++]]);
  }
  return pairs;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n');
/** How YAML says whether the last line has an end. */
const blockOf = (text: unknown): string => (String(text).endsWith('\n') ? '|' : '|-');

/** Plain where YAML would read it as this text, quoted elsewhere. */
function printed(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[A-Za-z/*.(][\w./ :@()*-]*$/.test(value);
  const isSpecial = /^(true|false|null|yes|no|on|off|y|n)$/i.test(String(value)) || /: |:$| $/.test(String(value));
  return isPlain && !isSpecial ? value : JSON.stringify(value);
}
