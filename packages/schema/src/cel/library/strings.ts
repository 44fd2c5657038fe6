/** Functions for texts. Positions count characters. */
import { regularExpression } from '../../formats/regular-expression.ts';
import { escapes } from '../../wording/go-text.ts';
import { assertAffordable } from '../language/budget.ts';
import { characterAt, unitOf } from '../language/characters.ts';
import {
  exactly,
  one,
  perCharacter,
  perPatternCharacter,
  plus,
  type Range,
  type Sized,
  scaled,
  times,
} from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { CelError, Items, type ListValue, sizeOf, type Value } from '../language/values.ts';
import { formatText } from './text-format.ts';
import { indexOfText, lastIndexOfText, splitText } from './text-search.ts';

const text = (value: Value | undefined): string => value as string;
const chars = (value: Value): readonly string[] => [...text(value)];
const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** The cost of walking over the first argument, so and so many times. */
const walk =
  (factor = 1) =>
  (args: readonly Value[]): number =>
    Math.ceil(sizeOf(args[0] ?? null) * factor * perCharacter);

const walkEstimate = (subject: Sized) => ({ cost: scaled(subject.size, perCharacter), size: subject.size });

/** The text times the pattern: one more character, so that an empty text is not free. */
export const matchCost = (args: readonly Value[]): number =>
  Math.ceil((1 + sizeOf(args[0] ?? null)) * perCharacter) * Math.ceil(sizeOf(args[1] ?? null) * perPatternCharacter);

/** What a match may cost. */
export const matchEstimate = (subject: Sized, pattern: Sized): Range =>
  times(scaled(plus(subject.size, one), perCharacter), scaled(pattern.size, perPatternCharacter));

function matches(subject: Value, pattern: Value): Value {
  const expression = regularExpression(text(pattern));
  return 'problem' in expression ? new CelError(expression.problem) : expression.test(text(subject));
}

/** Positions are given and told in characters, and looked for in units. */
function indexOf(subject: Value, part: Value, offset: Value = 0n): Value {
  const [from, all] = [offset as bigint, text(subject)];
  if (text(part) === '') return from;
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(sizeOf(subject))) return -1n;
  return character(all, indexOfText(all, text(part), unitOf(all, Number(from))));
}

function lastIndexOf(subject: Value, part: Value, offset?: Value): Value {
  const [all, wanted] = [text(subject), text(part)];
  const size = sizeOf(subject);
  if (wanted === '') return offset ?? BigInt(size);
  if (offset === undefined && all.length < wanted.length) return -1n;
  const from = (offset as bigint | undefined) ?? BigInt(size - 1);
  if (from < 0n) return outOfRange(from);
  return from >= BigInt(size) ? -1n : character(all, lastIndexOfText(all, wanted, unitOf(all, Number(from))));
}

const character = (all: string, unit: number): bigint => (unit < 0 ? -1n : BigInt(characterAt(all, unit)));

function substring(subject: Value, start: Value, end?: Value): Value {
  const all = text(subject);
  const size = BigInt(sizeOf(subject));
  const [from, to] = [start as bigint, (end as bigint | undefined) ?? size];
  if (end !== undefined && from > to) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0n || from > size) return outOfRange(from);
  return to > size ? outOfRange(to) : all.slice(unitOf(all, Number(from)), unitOf(all, Number(to)));
}

function charAt(subject: Value, index: Value): Value {
  const [all, i] = [text(subject), index as bigint];
  if (i < 0n || i > BigInt(sizeOf(subject))) return outOfRange(i);
  return all.slice(unitOf(all, Number(i)), unitOf(all, Number(i) + 1));
}

function replace(subject: Value, part: Value, by: Value, count: Value = -1n): Value {
  const times = (count as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(count);
  // The empty text is found before each character, and at the end.
  if (text(part) === '') {
    const all = chars(subject);
    assertTextAffordable(all.length + Math.min(all.length + 1, times) * text(by).length);
    return all.map((char, i) => (i < times ? `${by}${char}` : char)).join('') + (all.length < times ? text(by) : '');
  }
  const pieces = splitText(text(subject), text(part));
  assertTextAffordable(text(subject).length + Math.min(pieces.length - 1, times) * text(by).length);
  if (pieces.length - 1 <= times) return pieces.join(text(by));
  return `${pieces.slice(0, times + 1).join(text(by))}${text(part)}${pieces.slice(times + 1).join(text(part))}`;
}

function split(subject: Value, separator: Value, count: Value = -1n): Value {
  const limit = count as bigint;
  if (limit === 0n) return new Items([]);
  const pieces = text(separator) === '' ? chars(subject) : splitText(text(subject), text(separator));
  if (limit < 0n || BigInt(pieces.length) <= limit) return new Items(pieces);
  const kept = pieces.slice(0, Number(limit) - 1);
  return new Items([...kept, pieces.slice(kept.length).join(text(separator))]);
}

/** Before a text is made that would be far larger than what it is made of. */
function assertTextAffordable(length: number): void {
  assertAffordable(length * perCharacter);
}

function join(list: Value, separator: Value = ''): Value {
  const items = [...(list as ListValue)];
  const wrong = items.find((item) => typeof item !== 'string');
  if (wrong !== undefined) return new CelError(`join: invalid input: ${String(wrong)}`);
  const own = items.reduce((sum: number, item) => sum + text(item).length, 0);
  assertTextAffordable(own + items.length * text(separator).length);
  return items.join(text(separator));
}

/** White space as Go knows it. */
const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(subject: Value): Value {
  const all = text(subject);
  let [begin, end] = [0, all.length];
  while (begin < end && space.test(all.charAt(begin))) begin++;
  while (end > begin && space.test(all.charAt(end - 1))) end--;
  return all.slice(begin, end);
}

function replaceEstimate(subject: Sized, part: Sized, by: Sized) {
  const { size } = subject;
  const most =
    part.size.min === 0
      ? (size.max + 1) * by.size.max + size.max
      : by.size.max <= part.size.min
        ? size.max
        : Math.ceil(size.max / part.size.min) * by.size.max;
  const least =
    part.size.max === 0
      ? (size.min + 1) * by.size.min + size.min
      : part.size.max <= by.size.min
        ? size.min
        : Math.ceil(size.min / part.size.max) * by.size.min;
  return { cost: scaled(size, 2 * perCharacter), size: { min: least, max: most } };
}

function splitEstimate(subject: Sized, _separator: Sized, count?: Sized) {
  const max = typeof count?.literal === 'bigint' ? Number(BigInt.asUintN(64, count.literal)) : subject.size.max;
  return { cost: scaled(subject.size, 2 * perCharacter), size: { min: 0, max } };
}

function joinEstimate(list: Sized, separator?: Sized) {
  const between = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) };
  const size = plus(
    times(list.size, list.itemSize),
    separator === undefined ? exactly(0) : times(separator.size, between),
  );
  return { cost: scaled(size, perCharacter), size };
}

const prefix = {
  cost: walk(),
  estimate: (_: Sized, part: Sized) => ({ cost: scaled(part.size, perCharacter) }),
};

/** `contains`, `replace`, `format` and the other functions for texts. */
export const strings: Library = [
  overload('string.contains(string): bool', (subject, part) => text(subject).includes(text(part)), {
    cost: (args) => walk()(args) * Math.ceil(sizeOf(args[1] ?? null) * perCharacter),
    estimate: (subject, part) => ({ cost: times(scaled(subject.size, perCharacter), scaled(part.size, perCharacter)) }),
  }),
  overload('string.endsWith(string): bool', (subject, part) => text(subject).endsWith(text(part)), prefix),
  overload('string.startsWith(string): bool', (subject, part) => text(subject).startsWith(text(part)), prefix),
  // As a function, it has no estimate of its own in the server either.
  overload('matches(string, string): bool', matches, { cost: matchCost }),
  overload('string.matches(string): bool', matches, {
    id: 'matches_string',
    cost: matchCost,
    estimate: (subject, pattern) => ({ cost: matchEstimate(subject, pattern) }),
  }),
  overload('string.charAt(int): string', charAt),
  overload('string.indexOf(string): int', indexOf, { cost: walk(), estimate: walkEstimate }),
  overload('string.indexOf(string, int): int', indexOf, { cost: walk(), estimate: walkEstimate }),
  overload('string.lastIndexOf(string): int', lastIndexOf, { cost: walk(), estimate: walkEstimate }),
  overload('string.lastIndexOf(string, int): int', lastIndexOf, { cost: walk(), estimate: walkEstimate }),
  overload('string.lowerAscii(): string', (value) => text(value).replace(/[A-Z]+/g, (part) => part.toLowerCase()), {
    cost: walk(),
    estimate: walkEstimate,
  }),
  overload('string.upperAscii(): string', (value) => text(value).replace(/[a-z]+/g, (part) => part.toUpperCase()), {
    cost: walk(),
    estimate: walkEstimate,
  }),
  overload('string.replace(string, string): string', replace, { cost: walk(2), estimate: replaceEstimate }),
  overload('string.replace(string, string, int): string', replace, { cost: walk(2), estimate: replaceEstimate }),
  overload('string.split(string): list<string>', split, { cost: walk(2), estimate: splitEstimate }),
  overload('string.split(string, int): list<string>', split, { cost: walk(2), estimate: splitEstimate }),
  overload('string.substring(int): string', substring, { cost: walk(), estimate: walkEstimate }),
  overload('string.substring(int, int): string', substring, { cost: walk(), estimate: walkEstimate }),
  overload('string.trim(): string', trim, { cost: walk(), estimate: walkEstimate }),
  overload('string.format(list<dyn>): string', (pattern, args) => formatText(text(pattern), args as ListValue), {
    id: 'string_format',
    cost: walk(),
    estimate: (pattern) => ({ cost: scaled(pattern.size, perCharacter) }),
  }),
  overload(
    "'strings.quote'(string): string",
    (value) => `"${[...text(value)].map((char) => escapes[char] ?? char).join('')}"`,
    {
      cost: walk(),
      estimate: ({ size }) => ({
        cost: scaled(size, perCharacter),
        size: { min: size.min + 2, max: size.max * 2 + 2 },
      }),
    },
  ),
  overload('list<string>.join(): string', join, { cost: (_, result) => walk(2)([result]), estimate: joinEstimate }),
  overload('list<string>.join(string): string', join, {
    cost: (_, result) => walk(2)([result]),
    estimate: joinEstimate,
  }),
];
