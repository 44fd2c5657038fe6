/** Lines that an API server sent, kept in a file, so that the cost of reading them can be measured without it. */
import { closeSync, openSync, writeSync } from 'node:fs';

export interface Recording {
  readonly file: string;
  readonly lines: number;
  readonly bytes: number;
}

/** Writes the lines of a stream to a file, up to the one that is the last. */
export async function record(
  file: string,
  body: AsyncIterable<Uint8Array>,
  isLast: (line: string, lines: number) => boolean,
): Promise<Recording> {
  const descriptor = openSync(file, 'w');
  let [lines, bytes] = [0, 0];
  try {
    for await (const line of linesOf(body)) {
      bytes += writeSync(descriptor, `${line}\n`);
      lines += 1;
      if (isLast(line, lines)) return { file, lines, bytes };
    }
  } finally {
    closeSync(descriptor);
  }
  throw new Error(`the stream ended after ${lines} lines, before the last one came`);
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
