/**
 * Splits a stream of bytes into lines.
 *
 * Promises: the lines are the same however the bytes are cut into chunks; a character is never cut, since it is decoded
 * only when its line is complete; empty lines are left out; a line without end does not fill the memory.
 */
import { Pieces } from '../transport/bytes.ts';

const newline = 0x0a;

export interface FrameSplitterOptions {
  /** Told about a line that is too long, with its length. It is left out. */
  readonly onTooLong: (bytes: number) => void;
  /**
   * No object comes near the default (etcd stores 1.5 MiB), so a line that does is no event.
   * @default 16 MiB
   */
  readonly maxLineBytes?: number;
  /** Makes a text of the bytes of a line. @default as UTF-8 */
  readonly decode?: (line: Buffer) => string;
}

export class FrameSplitter {
  readonly #onTooLong: (bytes: number) => void;
  readonly #maxLineBytes: number;
  readonly #decode: (line: Buffer) => string;
  /** Pieces of the line that is not complete yet; none of one that is too long. */
  readonly #pieces = new Pieces();
  /** How long that line is so far. */
  #length = 0;

  constructor({ onTooLong, maxLineBytes = 16 * 1024 * 1024, decode = utf8 }: FrameSplitterOptions) {
    this.#onTooLong = onTooLong;
    this.#maxLineBytes = maxLineBytes;
    this.#decode = decode;
  }

  /** Bytes of the line that is not complete yet. */
  get pendingBytes(): number {
    return this.#length;
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const last = bytes.subarray(start, end);
      const line = this.#length === 0 ? this.#decode(last) : this.#complete(last);
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
    if (this.#length > this.#maxLineBytes) this.#pieces.clear();
    else this.#pieces.push(piece);
  }

  /** The line that ends here; empty if it was too long. */
  #complete(last: Uint8Array): string {
    this.#keep(last);
    const length = this.#length;
    this.#length = 0;
    if (length <= this.#maxLineBytes) return this.#decode(this.#pieces.take());
    this.#onTooLong(length);
    return '';
  }
}

function utf8(line: Buffer): string {
  return line.toString('utf8');
}
