/**
 * Finds members of an object in its JSON text, by bytes, without parsing it.
 *
 * What is not written as API servers do, without white space, is not found.
 */
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Where the value of a member begins, in the object that begins at `at`; -1 if there is none. */
export function memberOf(text: Buffer, at: number, name: Buffer): number {
  if (text[at] !== openBrace) return -1;
  let start = at + 1;
  while (text[start] === quote) {
    const end = endOfString(text, start);
    if (text[end] !== colon) return -1;
    if (end - start === name.length + 2 && text.compare(name, 0, name.length, start + 1, end - 1) === 0) return end + 1;
    const next = endOfValue(text, end + 1);
    if (text[next] !== comma) return -1;
    start = next + 1;
  }
  return -1;
}

/** The position after a value; the end of the text if the value does not end. */
export function endOfValue(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    switch (text[at]) {
      case quote:
        at = endOfString(text, at) - 1;
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        break;
      case closeBrace:
      case closeBracket:
        if (depth === 0) return at;
        depth -= 1;
        break;
      case comma:
        if (depth === 0) return at;
        break;
    }
  }
  return text.length;
}

/** The position after the closing quote. */
export function endOfString(text: Buffer, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === quote) return at + 1;
    if (text[at] === backslash) at += 1;
  }
  return text.length;
}
