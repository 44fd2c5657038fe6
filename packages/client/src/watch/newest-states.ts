/**
 * Of the states of an object that came together, the newest; what was out of date before anyone could look is not parsed.
 *
 * Told apart by uid, so an object that was made anew under the same name is another one. Of one that came and went, both
 * stay: whoever had made it must hear that it is gone. A line in which no uid is found (a bookmark, an error, anything that
 * is written in another way) stays, and so does of each object the newest state before it, which a bookmark vouches for.
 */
import { endOfString, memberOf } from './members.ts';

const quote = 0x22;
const object = Buffer.from('object');
const metadata = Buffer.from('metadata');
const uid = Buffer.from('uid');
const added = Buffer.from('{"type":"ADDED"');
const deleted = Buffer.from('{"type":"DELETED"');

/** The lines in their order, without those of which a later one tells a newer state; an ADDED before a DELETED stays. */
export function newestStates(lines: readonly Buffer[]): readonly Buffer[] {
  if (lines.length < 2) return lines;
  /** What the lines behind this one tell, by uid. */
  const told = new Map<string, Buffer>();
  const newest = lines.toReversed().filter((line) => {
    const id = uidIn(line);
    if (id === undefined) {
      told.clear();
      return true;
    }
    const later = told.get(id);
    if (later !== undefined) return begins(line, added) && begins(later, deleted);
    told.set(id, line);
    return true;
  });
  return newest.reverse();
}

function begins(line: Buffer, beginning: Buffer): boolean {
  return line.subarray(0, beginning.length).equals(beginning);
}

function uidIn(line: Buffer): string | undefined {
  const start = memberOf(line, memberOf(line, memberOf(line, 0, object), metadata), uid);
  if (line[start] !== quote) return undefined;
  return line.toString('latin1', start + 1, endOfString(line, start) - 1) || undefined;
}
