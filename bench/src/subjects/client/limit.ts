/**
 * What no client can do without: the same bytes, read from a file instead of a connection, through `JSON.parse`.
 * Arguments: the task, the file with one JSON text in each line, and how often each is parsed.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { argv } from 'node:process';
import { Meter, peakMb, tell, wholeCpuMs } from '../subject.ts';

const [, , task, file = '', times = '1'] = argv;

/** The lines of the file, of which only a piece is ever in memory. */
function* lines(): Generator<string, void, undefined> {
  const descriptor = openSync(file, 'r');
  const piece = Buffer.alloc(256 * 1024);
  let held = 0;
  for (;;) {
    const read = readSync(descriptor, piece, held, piece.length - held, null);
    if (read === 0) break;
    held += read;
    let start = 0;
    for (let end = piece.indexOf('\n'); end !== -1 && end < held; end = piece.indexOf('\n', start)) {
      yield piece.toString('utf8', start, end);
      start = end + 1;
    }
    piece.copy(piece, 0, start, held);
    held -= start;
  }
  closeSync(descriptor);
}

interface WatchEvent {
  readonly object: { metadata: { readonly managedFields?: unknown } };
}

const kept: unknown[] = [];
const work = new Meter();
for (const line of lines()) {
  if (task === 'keep') {
    const { object } = JSON.parse(line) as WatchEvent;
    const { managedFields: _, ...metadata } = object.metadata;
    object.metadata = metadata;
    kept.push(object);
  } else {
    for (let i = 0; i < Number(times); i += 1) JSON.parse(line);
  }
}
tell({ cpuMs: work.cpuMs(), wallMs: work.wallMs(), wholeCpuMs: wholeCpuMs(), peakMb: peakMb(), cached: kept.length });
