/** Names of fields in expressions, where they must be identifiers: `x-y` is `x__dash__y`, and `in` is `__in__`. */

const keywords: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Whether no field can be written like this. */
export function isKeyword(name: string): boolean {
  return keywords.has(name);
}

const marks: readonly (readonly [string, string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
];

/** Undefined for a name that expressions cannot have. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (mark) => marks.find(([plain]) => plain === mark)?.[1] ?? mark);
}

/** The name of a field that is escaped like this; undefined where none is. */
export function unescapeName(escaped: string): string | undefined {
  let isKnown = true;
  const name = escaped.replace(/__[^_]+__/g, (mark) => {
    const plain = marks.find(([, word]) => word === mark)?.[0];
    if (plain !== undefined) return plain;
    const keyword = mark.slice(2, -2);
    if (!keywords.has(keyword) || mark.length !== escaped.length) isKnown = false;
    return keyword;
  });
  return isKnown ? name : undefined;
}
