/** Functions for texts. Positions count characters. */
import { regularExpression } from '../../formats/regular-expression.ts';
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

export const matchEstimate = (subject: Sized, pattern: Sized): Range =>
  times(scaled(plus(subject.size, one), perCharacter), scaled(pattern.size, perPatternCharacter));

function matches(subject: Value, pattern: Value): Value {
  const expression = regularExpression(text(pattern));
  return 'problem' in expression ? new CelError(expression.problem) : expression.test(text(subject));
}

function find(part: readonly string[], within: readonly string[], from: number, step: 1 | -1): bigint {
  for (let i = from; i >= 0 && i + part.length <= within.length; i += step) {
    if (part.every((char, j) => within[i + j] === char)) return BigInt(i);
  }
  return -1n;
}

function indexOf(subject: Value, part: Value, offset: Value = 0n): Value {
  const [from, all] = [offset as bigint, chars(subject)];
  if (text(part) === '') return from;
  if (from < 0n) return outOfRange(from);
  return from >= BigInt(all.length) ? -1n : find(chars(part), all, Number(from), 1);
}

function lastIndexOf(subject: Value, part: Value, offset?: Value): Value {
  const [all, wanted] = [chars(subject), chars(part)];
  if (text(part) === '') return offset ?? BigInt(all.length);
  if (offset === undefined && all.length < wanted.length) return -1n;
  const from = (offset as bigint | undefined) ?? BigInt(all.length - 1);
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(all.length)) return -1n;
  return find(wanted, all, Math.min(Number(from), all.length - wanted.length), -1);
}

function substring(subject: Value, start: Value, end?: Value): Value {
  const all = chars(subject);
  const [from, to] = [start as bigint, (end as bigint | undefined) ?? BigInt(all.length)];
  if (end !== undefined && from > to) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0n || from > BigInt(all.length)) return outOfRange(from);
  return to > BigInt(all.length) ? outOfRange(to) : all.slice(Number(from), Number(to)).join('');
}

function charAt(subject: Value, index: Value): Value {
  const all = chars(subject);
  const i = index as bigint;
  return i < 0n || i > BigInt(all.length) ? outOfRange(i) : (all[Number(i)] ?? '');
}

function replace(subject: Value, part: Value, by: Value, count: Value = -1n): Value {
  const times = (count as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(count);
  // The empty text is found before each character, and at the end.
  if (text(part) === '') {
    const all = chars(subject);
    return all.map((char, i) => (i < times ? `${by}${char}` : char)).join('') + (all.length < times ? text(by) : '');
  }
  const pieces = text(subject).split(text(part));
  return pieces.reduce((result, piece, i) => result + (i <= times ? text(by) : text(part)) + piece);
}

function split(subject: Value, separator: Value, count: Value = -1n): Value {
  const limit = count as bigint;
  if (limit === 0n) return new Items([]);
  const pieces = text(separator) === '' ? chars(subject) : text(subject).split(text(separator));
  if (limit < 0n || BigInt(pieces.length) <= limit) return new Items(pieces);
  const kept = pieces.slice(0, Number(limit) - 1);
  return new Items([...kept, pieces.slice(kept.length).join(text(separator))]);
}

function join(list: Value, separator: Value = ''): Value {
  const items = [...(list as ListValue)];
  const wrong = items.find((item) => typeof item !== 'string');
  return wrong === undefined ? items.join(text(separator)) : new CelError(`join: invalid input: ${String(wrong)}`);
}

/** White space as Go knows it. */
const trim = (subject: Value): Value =>
  text(subject).replace(
    /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g,
    '',
  );

const quotes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

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
    (value) => `"${[...text(value)].map((char) => quotes[char] ?? char).join('')}"`,
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
