/** JSON text and text order as Go has them: members sorted by their UTF-8 bytes, and escaped what HTML would read. */
import { isList, isObject, type Json } from './json.ts';

/** Order of UTF-8 bytes, which differs from JavaScript's beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogates.test(a) && !surrogates.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const surrogates = /[\ud800-\udfff]/;

export function goJson(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort(compareText);
  return `{${names.map((name) => `${quoted(name)}:${goJson(value[name])}`).join(',')}}`;
}

function quoted(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const json = JSON.stringify(text);
  return needsEscape.test(json) ? json.replace(escapable, (match) => escapes[match] ?? match) : json;
}

/** Printable ASCII without what JSON or HTML would read. */
const plain = /^[ !#-%'-;=?-[\]-~]*$/;
const needsEscape = /[<>&\u2028\u2029]|\\[bf]/;
const escapable = /\\\\|[<>&\u2028\u2029]|\\[bf]/g;
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
  '\\b': '\\u0008',
  '\\f': '\\u000c',
};
