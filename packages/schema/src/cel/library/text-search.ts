/**
 * Finding a text in another one in linear time, whatever the two are.
 *
 * The engine's own search takes time in the product of the lengths for texts that nearly match everywhere, and CEL
 * charges for the longer of the two alone.
 */

/** Below this the engine's search is linear enough, and much faster. */
const short = 16;

/** Where `part` begins in `text`, from the unit `from` on; -1 where it does not. */
export function indexOfText(text: string, part: string, from = 0): number {
  if (part.length <= short) return text.indexOf(part, from);
  for (const found of matches(text, part, from)) return found;
  return -1;
}

/** Where `part` begins last in `text`, at the unit `from` or before it; -1 where it does not. */
export function lastIndexOfText(text: string, part: string, from: number): number {
  if (part.length <= short) return text.lastIndexOf(part, from);
  let last = -1;
  for (const found of matches(text, part, 0)) {
    if (found > from) break;
    last = found;
  }
  return last;
}

/** The pieces of `text` between the occurrences of `part`, which is not empty and occurs without overlap. */
export function splitText(text: string, part: string): readonly string[] {
  if (part.length <= short) return text.split(part);
  const pieces: string[] = [];
  let begin = 0;
  for (const found of matches(text, part, 0)) {
    if (found < begin) continue;
    pieces.push(text.slice(begin, found));
    begin = found + part.length;
  }
  return [...pieces, text.slice(begin)];
}

/** All occurrences, by the algorithm of Knuth, Morris and Pratt: no unit of the text is looked at again. */
function* matches(text: string, part: string, from: number): Iterable<number> {
  const borders = bordersOf(part);
  let matched = 0;
  for (let i = from; i < text.length; i++) {
    while (matched > 0 && text.charCodeAt(i) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(i) === part.charCodeAt(matched)) matched++;
    if (matched < part.length) continue;
    yield i - part.length + 1;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each beginning of the text: how long the longest is that it both begins and ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let i = 1, length = 0; i < part.length; i++) {
    while (length > 0 && part.charCodeAt(i) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(i) === part.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}
