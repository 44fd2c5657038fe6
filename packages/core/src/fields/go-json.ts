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

/** How a printed value looks. */
export interface Notation {
  readonly list: readonly [open: string, between: string, close: string];
  readonly object: readonly [open: string, between: string, close: string];
  /** In the order in which they are printed. */
  readonly names: (object: Readonly<Record<string, unknown>>) => readonly string[];
  /** With what stands between it and its value. */
  readonly name: (name: string) => string;
  /** Of all that is neither a list nor an object. */
  readonly scalar: (value: unknown) => string;
}

/** A JSON value as text. A list takes the place of recursion, so that no depth of nesting is too much. */
export function printJson(value: unknown, notation: Notation): string {
  let text = '';
  // Texts to write and values to print, the next one last.
  const open: (string | { readonly value: unknown })[] = [{ value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') text += next;
    else if (typeof next.value !== 'object' || next.value === null) text += notation.scalar(next.value);
    else if (Array.isArray(next.value)) {
      const [begin, between, end] = notation.list;
      const items: readonly unknown[] = next.value;
      text += begin;
      open.push(end);
      for (let i = items.length - 1; i >= 0; i--) open.push({ value: items[i] }, i === 0 ? '' : between);
    } else {
      const [begin, between, end] = notation.object;
      const members = next.value as Readonly<Record<string, unknown>>;
      const names = notation.names(members);
      text += begin;
      open.push(end);
      for (let i = names.length - 1; i >= 0; i--) {
        const name = names[i] ?? '';
        open.push({ value: members[name] }, `${i === 0 ? '' : between}${notation.name(name)}`);
      }
    }
  }
  return text;
}

const goNotation: Notation = {
  list: ['[', ',', ']'],
  object: ['{', ',', '}'],
  names: (object) => Object.keys(object).sort(compareText),
  name: (name) => `${quoted(name)}:`,
  scalar: (value) => (typeof value === 'string' ? quoted(value) : (JSON.stringify(value) ?? 'null')),
};

/** JSON as Go writes it: members in the order of their bytes, and escaped what HTML would read. */
export function goJson(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : printJson(value, goNotation);
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
