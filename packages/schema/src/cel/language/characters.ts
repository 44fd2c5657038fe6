/**
 * Texts by characters, as CEL counts them: a pair of UTF-16 units is one.
 *
 * The text that was looked at last is remembered, because expressions look at one text many times, and for no more
 * than one step of cost each time.
 */

interface Characters {
  readonly text: string;
  readonly count: number;
  /** Where each character begins; undefined where every unit is one. */
  readonly starts: Uint32Array | undefined;
}

let last: Characters = { text: '', count: 0, starts: undefined };

function charactersOf(text: string): Characters {
  if (text !== last.text) last = count(text);
  return last;
}

const pair = /[\ud800-\udbff][\udc00-\udfff]/;

function count(text: string): Characters {
  if (!pair.test(text)) return { text, count: text.length, starts: undefined };
  const starts = new Uint32Array(text.length);
  let found = 0;
  for (let i = 0; i < text.length; found++) {
    starts[found] = i;
    i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  }
  return { text, count: found, starts: starts.subarray(0, found) };
}

/** How many characters a text has. */
export function countCharacters(text: string): number {
  return charactersOf(text).count;
}

/** The unit at which a character begins; the text's length for the one after the last. */
export function unitOf(text: string, character: number): number {
  const { starts } = charactersOf(text);
  return starts === undefined ? character : (starts[character] ?? text.length);
}

/** The character that begins at a unit. */
export function characterAt(text: string, unit: number): number {
  const { starts } = charactersOf(text);
  if (starts === undefined) return unit;
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
