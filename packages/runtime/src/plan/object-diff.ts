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
  if (Array.isArray(before) && Array.isArray(after)) return differingItems(before, after, indent);
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      differingMember(name, before[name], after[name], indent),
    );
  }
  return edits(linesOf(before), linesOf(after)).map(([sign, line]) => ({ sign, text: indent + line }));
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
  if (names.includes(undefined)) return edits(before, after).flatMap(([sign, each]) => item(sign, each, indent));
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
  const all = lines.length > 0 ? lines : [{ sign, text: `${indent}  ${JSON.stringify(value)}` }];
  const [first, ...rest] = all as readonly [DiffLine, ...DiffLine[]];
  return [{ sign, text: `${indent}- ${first.text.slice(indent.length + 2)}` }, ...rest];
}

/** What goes and what comes, in one order. */
type Edits<T> = readonly (readonly [sign: '-' | '+', item: T])[];

/** More than this is not compared item by item: a text of ten thousand lines would take a gigabyte. */
const mostComparisons = 1_000_000;

/** The edits that lead from one list to the other: what both begin and end with stays, and most of what lies between. */
function edits<T>(before: readonly T[], after: readonly T[]): Edits<T> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && equalJson(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equalJson(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (old.length * now.length <= mostComparisons) return fewestEdits(old, now);
  return [...old.map((item) => ['-', item] as const), ...now.map((item) => ['+', item] as const)];
}

/** Keeps a longest common part. */
function fewestEdits<T>(before: readonly T[], after: readonly T[]): Edits<T> {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  /** How long the common part of what follows is. */
  const common = (i: number, j: number) => lengths[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const isSame = equalJson(before[i], after[j]);
      lengths[i * width + j] = isSame ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1));
    }
  }
  const found: (readonly ['-' | '+', T])[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const isOut = j === after.length || (i < before.length && common(i + 1, j) >= common(i, j + 1));
    if (i < before.length && j < after.length && equalJson(before[i], after[j])) {
      i++;
      j++;
    } else found.push(isOut ? ['-', before[i++] as T] : ['+', after[j++] as T]);
  }
  return found;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');

const linesOf = (text: unknown): readonly string[] => String(text).replace(/\n$/, '').split('\n');
/** How YAML says whether the last line has an end. */
const blockOf = (text: unknown): string => (String(text).endsWith('\n') ? '|' : '|-');

/** Plain where YAML would read it as this text, quoted elsewhere. */
function printed(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[A-Za-z/*.(][\w./ :@()*-]*$/.test(value);
  const isSpecial = /^(true|false|null|yes|no|on|off|y|n)$/i.test(String(value)) || /: |:$| $/.test(String(value));
  return isPlain && !isSpecial ? value : JSON.stringify(value);
}
