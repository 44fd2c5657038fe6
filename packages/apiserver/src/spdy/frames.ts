/**
 * The frames of SPDY/3.1, as far as streams of bytes need them. Pure.
 *
 * Promises: frames are read from bytes in whatever pieces they come; one of more than a mebibyte is an error.
 * Does not: know windows of flow control, which Kubernetes' own implementation does not have either.
 */

export type Frame =
  /** A stream is opened; its headers are compressed. */
  | { readonly type: 'open'; readonly stream: number; readonly headers: Uint8Array; readonly isLast: boolean }
  /** Bytes of a stream; the last ones say so. */
  | { readonly type: 'data'; readonly stream: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  /** A stream is over, in both directions. */
  | { readonly type: 'reset'; readonly stream: number }
  | { readonly type: 'ping'; readonly id: number }
  /** Headers of no use here, which the next ones are compressed against. */
  | { readonly type: 'headers'; readonly headers: Uint8Array }
  | { readonly type: 'other' };

const version = 3;
const kinds = { open: 1, reply: 2, reset: 3, ping: 6, headers: 8 } as const;
const lastFlag = 1;
const headBytes = 8;
const maxFrameBytes = 2 ** 20;

/** Why a stream is refused or ended, as the protocol numbers it. */
export const resetReason = { protocolError: 1, cancelled: 5 } as const;

export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that are complete now. */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: Frame[] = [];
    while (this.#rest.length >= headBytes) {
      const length = this.#rest.readUIntBE(5, 3);
      if (length > maxFrameBytes) throw new RangeError(`a SPDY frame of ${length} bytes`);
      if (this.#rest.length < headBytes + length) break;
      frames.push(frameOf(this.#rest.subarray(0, headBytes), this.#rest.subarray(headBytes, headBytes + length)));
      this.#rest = this.#rest.subarray(headBytes + length);
    }
    return frames;
  }
}

function frameOf(head: Buffer, body: Buffer): Frame {
  const isLast = (head.readUInt8(4) & lastFlag) !== 0;
  const word = (offset: number) => body.readUInt32BE(offset) & 0x7fffffff;
  if ((head.readUInt8(0) & 0x80) === 0) {
    return { type: 'data', stream: head.readUInt32BE(0), bytes: body, isLast };
  }
  switch (head.readUInt16BE(2)) {
    case kinds.open:
      return { type: 'open', stream: word(0), headers: body.subarray(10), isLast };
    case kinds.reply:
    case kinds.headers:
      return { type: 'headers', headers: body.subarray(4) };
    case kinds.reset:
      return { type: 'reset', stream: word(0) };
    case kinds.ping:
      return { type: 'ping', id: body.readUInt32BE(0) };
    default:
      return { type: 'other' }; // settings, windows and farewell
  }
}

export function dataFrame(stream: number, bytes: Uint8Array, isLast: boolean): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(stream, 0);
  head.writeUInt8(isLast ? lastFlag : 0, 4);
  head.writeUIntBE(bytes.length, 5, 3);
  return Buffer.concat([head, bytes]);
}

/** The answer to `open`. */
export const replyFrame = (stream: number, headers: Uint8Array): Buffer =>
  controlFrame(kinds.reply, Buffer.concat([words(stream), headers]));

export const resetFrame = (stream: number, reason: number): Buffer => controlFrame(kinds.reset, words(stream, reason));

export const pingFrame = (id: number): Buffer => controlFrame(kinds.ping, words(id));

function controlFrame(kind: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(kind, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index);
  return bytes;
}
