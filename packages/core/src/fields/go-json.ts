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

/** JSON as Go writes it: members in the order of their bytes, and escaped what HTML would read. */
export function goJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  // Texts to write and values to print, the next one last: a list in place of recursion, whatever the depth.
  const open: (string | { readonly value: unknown })[] = [{ value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') text += next;
    else if (Array.isArray(next.value)) openItems(open, next.value);
    else if (typeof next.value === 'object' && next.value !== null) openMembers(open, next.value);
    else text += goJson(next.value);
  }
  return text;
}

type Open = (string | { readonly value: unknown })[];

function openItems(open: Open, items: readonly unknown[]): void {
  open.push(']');
  for (let i = items.length - 1; i >= 0; i--) open.push({ value: items[i] }, i === 0 ? '' : ',');
  open.push('[');
}

function openMembers(open: Open, object: object): void {
  const members = object as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).sort(compareText);
  open.push('}');
  for (const [i, name] of names.reverse().entries()) {
    const isFirst = i === names.length - 1;
    open.push({ value: members[name] }, `${isFirst ? '' : ','}${quoted(name)}:`);
  }
  open.push('{');
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
