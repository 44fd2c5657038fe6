/** JSON text and text order as Go has them: members sorted by their UTF-8 bytes, and escaped what HTML would read. */

/** Order of UTF-8 bytes, which differs from JavaScript's beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogates.test(a) && !surrogates.test(b)) return a < b ? -1 : 1;
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return -1; // the whole of `a` begins `b`
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

const surrogates = /[\ud800-\udfff]/;

export function goJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).sort(compareText);
  return `{${names.map((name) => `${quoted(name)}:${goJson(members[name])}`).join(',')}}`;
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
