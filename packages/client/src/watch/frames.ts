/**
 * Splits a stream of bytes into lines.
 *
 * Promises: the lines are the same however the bytes are cut into chunks; a character is never cut, since it is decoded
 * only when its line is complete; empty lines are left out.
 */

const newline = 0x0a;

/** No object comes near this (etcd stores 1.5 MiB); a line that does is not an event, and would fill the memory. */
const maxLineBytes = 64 * 1024 * 1024;

export class FrameSplitter {
  /** Pieces of the line that is not complete yet. */
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const line =
        this.#pieces.length === 0 ? bytes.toString('utf8', start, end) : this.#complete(bytes.subarray(start, end));
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return lines;
  }

  /** What came after the last newline, when the stream has ended. */
  rest(): string | undefined {
    const line = this.#complete(Buffer.alloc(0));
    return line === '' ? undefined : line;
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > maxLineBytes) throw new RangeError(`a line is longer than ${maxLineBytes} bytes`);
    this.#pieces.push(piece);
  }

  #complete(last: Uint8Array): string {
    const line = Buffer.concat([...this.#pieces, last]).toString('utf8');
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
