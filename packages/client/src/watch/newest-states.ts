/**
 * Of the states of an object that came together, the newest; what was out of date before anyone could look is not parsed.
 *
 * Told apart by uid, so an object that was made anew under the same name is another one. A line in which no uid is found
 * (a bookmark, an error, anything that is written in another way) stays.
 */
import { endOfString, memberOf } from './members.ts';

const quote = 0x22;
const object = Buffer.from('object');
const metadata = Buffer.from('metadata');
const uid = Buffer.from('uid');

/** The lines without those of which a later one tells a newer state, in the same order. */
export function newestStates(lines: readonly Buffer[]): readonly Buffer[] {
  if (lines.length < 2) return lines;
  const told = new Set<string>();
  const newest = lines.toReversed().filter((line) => {
    const id = uidIn(line);
    if (id === undefined) return true;
    if (told.has(id)) return false;
    told.add(id);
    return true;
  });
  return newest.reverse();
}

function uidIn(line: Buffer): string | undefined {
  const start = memberOf(line, memberOf(line, memberOf(line, 0, object), metadata), uid);
  if (line[start] !== quote) return undefined;
  return line.toString('latin1', start + 1, endOfString(line, start) - 1) || undefined;
}
