/** `'%s has %d'.format([name, count])`. */
import { compareBytes, goQuote } from '../../wording/go-text.ts';
import { typeName } from '../language/runtime-type.ts';
import { CelError, ListValue, MapValue, TypeValue, Uint, type Value } from '../language/values.ts';
import { showValue } from './conversions.ts';
import { fixedDecimal } from './fixed-decimal.ts';

/** The types that a clause takes, by the letter that ends it, and what else is said of them. */
export const clauses: ReadonlyMap<string, { readonly takes: readonly string[]; readonly problem: string }> = new Map([
  [
    's',
    {
      takes: [
        'bool',
        'bytes',
        'double',
        'duration',
        'int',
        'list',
        'map',
        'null',
        'string',
        'timestamp',
        'type',
        'uint',
      ],
      problem:
        'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    },
  ],
  ['d', { takes: ['int', 'uint'], problem: 'decimal clause can only be used on integers' }],
  ['f', { takes: ['double', 'string'], problem: 'fixed-point clause can only be used on doubles' }],
  ['e', { takes: ['double', 'string'], problem: 'scientific clause can only be used on doubles' }],
  ['b', { takes: ['bool', 'int', 'uint'], problem: 'only integers and bools can be formatted as binary' }],
  [
    'x',
    {
      takes: ['bytes', 'int', 'string', 'uint'],
      problem: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ],
  [
    'X',
    {
      takes: ['bytes', 'int', 'string', 'uint'],
      problem: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ],
  ['o', { takes: ['int', 'uint'], problem: 'octal clause can only be used on integers' }],
]);

/** `%.3f`: a letter and a precision. */
export interface Clause {
  readonly letter: string;
  readonly precision: number;
}

/** The pieces of a pattern: texts as they are, and clauses for arguments; or what is wrong with it. */
export function parsePattern(pattern: string): readonly (string | Clause)[] | { readonly problem: string } {
  const pieces: (string | Clause)[] = [];
  let rest = pattern;
  while (rest !== '') {
    const [found = '', plain, percent, precision, letter] =
      /^(?:([^%]+)|(%%)|%(?:\.(\d*))?([\s\S])?)/u.exec(rest) ?? [];
    rest = rest.slice(found.length);
    if (plain !== undefined) pieces.push(plain);
    else if (percent !== undefined) pieces.push('%');
    else if (letter === undefined) {
      return {
        problem:
          precision === undefined
            ? 'unexpected end of string'
            : 'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
      };
    } else if (precision !== undefined && precisionProblem(precision) !== undefined) {
      return {
        problem: `could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "${precision}": ${precisionProblem(precision)}`,
      };
    } else if (!clauses.has(letter)) {
      return { problem: `could not parse formatting clause: unrecognized formatting clause "${letter}"` };
    } else pieces.push({ letter, precision: precision === undefined ? 6 : Number(precision) });
  }
  return pieces;
}

function precisionProblem(digits: string): string | undefined {
  if (digits === '') return 'invalid syntax';
  return Number(digits) >= 2 ** 63 ? 'value out of range' : undefined;
}

/** The pattern with its clauses filled in; an error where an argument does not fit. */
export function formatText(pattern: string, args: ListValue): Value {
  const pieces = parsePattern(pattern);
  if ('problem' in pieces) return new CelError(pieces.problem);
  let result = '';
  let next = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      result += piece;
      continue;
    }
    if (next >= args.size) return new CelError(`index ${next} out of range`);
    const formatted = formatOne(piece, args.at(next++));
    if (formatted instanceof CelError) return formatted;
    result += formatted;
  }
  return result;
}

function formatOne({ letter, precision }: Clause, value: Value): string | CelError {
  if (value instanceof CelError) return value;
  const formatted = letter === 's' ? show(value) : formatNumber(letter, precision, value);
  if (formatted !== undefined) return formatted;
  return new CelError(`error during formatting: ${clauses.get(letter)?.problem}, was given ${typeName(value)}`);
}

function formatNumber(letter: string, precision: number, value: Value): string | undefined {
  const whole = value instanceof Uint ? value.value : typeof value === 'bigint' ? value : undefined;
  switch (letter) {
    case 'd':
      return whole?.toString();
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : whole?.toString(2);
    case 'o':
      return whole?.toString(8);
    case 'x':
      return whole?.toString(16) ?? hex(value);
    case 'X':
      return (whole?.toString(16) ?? hex(value))?.toUpperCase();
    default:
      return typeof value === 'number' ? formatDouble(letter, precision, value) : special(value);
  }
}

function hex(value: Value): string | undefined {
  return typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined;
}

function special(value: Value): string | undefined {
  if (value === 'NaN') return 'NaN';
  return value === 'Infinity' ? '∞' : value === '-Infinity' ? '-∞' : undefined;
}

// Numbers are written as in American English: with commas between thousands, and ×10 for exponents.
function formatDouble(letter: string, precision: number, value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞';
  if (letter === 'f') {
    // The server's library reads no larger numbers, and keeps how many zeros to add in one byte.
    if (Math.trunc(precision / 10) > 1_000_000) return '%!(NOVERB)';
    return fixedDecimal(value, { min: precision % 256, max: precision });
  }
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e');
  const raised = [...exponent.replace('+', '').replace(/^(-?)(\d)$/, '$10$2')].map(
    (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'['0123456789-'.indexOf(digit)],
  );
  return `${mantissa}\u202f×\u202f10${raised.join('')}`;
}

/** Undefined for values that have no text. */
function show(value: Value): string | undefined {
  if (value === null) return 'null';
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof ListValue) {
    const items = [...value].map(showQuoted);
    return items.every((item) => item !== undefined) ? `[${items.join(', ')}]` : undefined;
  }
  if (!(value instanceof MapValue)) return showValue(value);
  const entries = [...value.keys()].map((key) => [showQuoted(key), showQuoted(value.get(key) ?? null)]);
  if (entries.some(([key, each]) => key === undefined || each === undefined)) return undefined;
  const sorted = entries.sort(([a = ''], [b = '']) => compareBytes(a, b));
  return `{${sorted.map(([key, each]) => `${key}:${each}`).join(', ')}}`;
}

function showQuoted(value: Value): string | undefined {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`;
  return typeof value === 'number' ? value.toFixed(6) : show(value);
}
