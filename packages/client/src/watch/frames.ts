/**
 * Splits a stream of bytes into lines.
 *
 * Promises: the lines are the same however the bytes are cut into chunks, and whole, so that decoding one never cuts a
 * character; empty lines are left out; a line without end does not fill the memory.
 */
import { Pieces } from '../transport/bytes.ts';

const newline = 0x0a;
const nothing = Buffer.alloc(0);

export interface FrameSplitterOptions {
  /** Told about a line that is too long, with its length. It is left out. */
  readonly onTooLong: (bytes: number) => void;
  /**
   * No object comes near the default (etcd stores 1.5 MiB), so a line that does is no event.
   * @default 16 MiB
   */
  readonly maxLineBytes?: number;
}

export class FrameSplitter {
  readonly #onTooLong: (bytes: number) => void;
  readonly #maxLineBytes: number;
  /** Pieces of the line that is not complete yet; none of one that is too long. */
  readonly #pieces = new Pieces();
  /** How long that line is so far. */
  #length = 0;

  constructor({ onTooLong, maxLineBytes = 16 * 1024 * 1024 }: FrameSplitterOptions) {
    this.#onTooLong = onTooLong;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Bytes of the line that is not complete yet. */
  get pendingBytes(): number {
    return this.#length;
  }

  /** The lines that this chunk completes; they may be parts of it. */
  push(chunk: Uint8Array): Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const last = bytes.subarray(start, end);
      const line = this.#length === 0 ? last : this.#complete(last);
      if (line.length > 0) lines.push(line);
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return lines;
  }

  /** What came after the last newline, when the stream has ended. */
  rest(): Buffer | undefined {
    const line = this.#complete(nothing);
    return line.length === 0 ? undefined : line;
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#maxLineBytes) this.#pieces.clear();
    else this.#pieces.push(piece);
  }

  /** The line that ends here; empty if it was too long. */
  #complete(last: Uint8Array): Buffer {
    this.#keep(last);
    const length = this.#length;
    this.#length = 0;
    if (length <= this.#maxLineBytes) return this.#pieces.take();
    this.#onTooLong(length);
    return nothing;
  }
}
