/**
 * Bytes that come piece by piece, put together once. Small pieces are copied into larger ones: a server that sends single
 * bytes would otherwise cost a hundred times as much as it sends.
 */
const smallBytes = 1024;
const blockBytes = 16 * 1024;

export class Pieces {
  #pieces: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    this.#length += piece.length;
    if (piece.length >= smallBytes) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** All of them; there are none then. */
  take(): Buffer {
    this.#closeBlock();
    const [first] = this.#pieces;
    const all =
      this.#pieces.length === 1 && first
        ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
        : Buffer.concat(this.#pieces, this.#length);
    this.clear();
    return all;
  }

  clear(): void {
    this.#pieces = [];
    this.#block = Buffer.alloc(0);
    this.#used = 0;
    this.#length = 0;
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}

/** All bytes of an answer; of one that is longer than `maxBytes`, so many and at least one more, and it is left then. */
export async function bytesOf(body: AsyncIterable<Uint8Array>, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces = new Pieces();
  for await (const chunk of body) {
    pieces.push(chunk);
    if (pieces.length > maxBytes) break;
  }
  return pieces.take();
}
