/** The values that literals stand for. */
import type { LiteralValue } from './ast.ts';
import { Uint, type Value } from './values.ts';

/** A problem is told as the API server does. */
export type Parsed<T> = T | { readonly problem: string };

/** A whole number of 64 bits, decimal or hexadecimal. */
export function parseInt64(text: string): Parsed<bigint> {
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : { problem: 'invalid int literal' };
}

/** One without a sign. */
export function parseUint64(text: string): Parsed<bigint> {
  const value = BigInt(text.slice(0, -1));
  return BigInt.asUintN(64, value) === value ? value : { problem: 'invalid uint literal' };
}

/** A number with a point or an exponent. */
export function parseDouble(text: string): Parsed<number> {
  const value = Number(text);
  return Number.isFinite(value) ? value : { problem: 'invalid double literal' };
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The text between quotes, with its escapes resolved. */
export function unquote(token: string): Parsed<string> {
  const { body, isRaw } = unwrap(token);
  if (isRaw) return body;
  let problem: string | undefined;
  const text = body.replace(escaped, (_, hex: string | undefined, octal: string | undefined, char: string) => {
    if (hex === undefined && octal === undefined) return escapes[char] ?? char;
    const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex.slice(1), 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) problem = 'invalid unicode code point';
    return problem === undefined ? String.fromCodePoint(code) : '';
  });
  return problem === undefined ? text : { problem };
}

/** In bytes, an escape by number is one byte, and escapes of code points are none. */
export function unquoteBytes(token: string): Parsed<Uint8Array> {
  const { body, isRaw } = unwrap(token.slice(1));
  if (isRaw) return Buffer.from(body);
  if (/(?<!\\)(?:\\\\)*\\[uU]/.test(body)) return { problem: 'unable to unescape string' };
  const hex = body.replace(
    piece,
    (part, number: string | undefined, octal: string | undefined, char: string | undefined) => {
      if (number !== undefined) return number.slice(1);
      if (octal !== undefined) return Number.parseInt(octal, 8).toString(16).padStart(2, '0');
      return Buffer.from(char === undefined ? part : (escapes[char] ?? char)).toString('hex');
    },
  );
  return Buffer.from(hex, 'hex');
}

const escaped = /\\(?:([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/gu;
const piece = new RegExp(`${escaped.source}|[^\\\\]`, 'gu');

function unwrap(token: string): { readonly body: string; readonly isRaw: boolean } {
  const text = token.replace(/\r\n?/g, '\n');
  const isRaw = /^[rR]/.test(text);
  const quoted = isRaw ? text.slice(1) : text;
  const quote = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(quote, -quote), isRaw };
}

/** A literal at run time. */
export function literalValue(value: LiteralValue): Value {
  return typeof value === 'object' && value !== null && 'uint' in value ? new Uint(value.uint) : value;
}
