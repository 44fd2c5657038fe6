/** Values as the API server prints them in its messages: Go's notation for strings, numbers and JSON. */
import { type Notation, printJson } from '@keelson/core/fields';

/** A whole number in the range of int64, which is what the API server makes of it while decoding. */
export function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value as number) < 2 ** 63);
}

/** The verb `%v` for a number: whole ones as int64, others as float64. */
export function goNumber(value: number | bigint): string {
  return isInteger(value) ? BigInt(value).toString() : goFloat(value);
}

/** The verb `%v` for a float64: with an exponent, of two digits at least, below 1e-4 and from 1e+06 on. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? text.replace(/e([+-])(\d)$/, 'e$10$2') : String(value);
}

/** How Go writes characters in quotes that have a short form there. */
export const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** The verb `%q` for a string: printable characters stand as they are. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const known = escapes[char];
    if (known !== undefined) return known;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
  })}"`;
}

/** JSON that is shown as it is: a Go struct, whose fields have an order and names of their own. */
export class Verbatim {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** JSON as Go writes it: keys sorted, and <, >, & escaped. */
export function goJson(value: unknown): string {
  return value instanceof Verbatim ? escapeHtml(value.json) : printJson(value, notation);
}

const notation: Notation = {
  list: ['[', ',', ']'],
  object: ['{', ',', '}'],
  names: (object) =>
    Object.keys(object)
      .filter((name) => object[name] !== undefined)
      .sort(compareBytes),
  name: (name) => `${escapeHtml(JSON.stringify(name))}:`,
  scalar: (value) => (typeof value === 'bigint' ? value.toString() : escapeHtml(JSON.stringify(value) ?? 'null')),
};

function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A Go struct: its fields are shown in the order in which they are given. */
export function fieldsInOrder(value: unknown): Verbatim {
  return new Verbatim(JSON.stringify(value) ?? 'null');
}

/** A value inside of a problem's message. */
export function goValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  return goJson(value);
}

/** The order of Go's strings: by bytes of UTF-8, which is by code points. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; ; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    if (Number.isNaN(left)) return -1;
    if (Number.isNaN(right)) return 1;
    // Halves of surrogate pairs stand for what lies above all other characters.
    const isPair = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? 1 : 0);
    return isPair(left) - isPair(right) || left - right;
  }
}
