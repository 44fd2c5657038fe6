/**
 * The bytes that a socket receives, past Node's streams: read into one buffer, copied, and handed on at once.
 *
 * A stream for each socket takes its share of the CPU, and when it is paused it goes on reading until 64 KiB
 * wait in it: the process is woken by each record all the same. A socket that is read so stops when it is paused.
 */
import type { OnReadOpts } from 'node:net';

/** No record of TLS is longer. */
const bufferBytes = 16 * 1024;

export class Incoming {
  /** For Node: where to read to, and whom to tell. */
  readonly onread: OnReadOpts;
  #take: ((bytes: Buffer) => void) | undefined;
  #early: Buffer[] = [];

  constructor() {
    this.onread = {
      buffer: Buffer.allocUnsafeSlow(bufferBytes),
      callback: (length, buffer) => {
        const bytes = Buffer.from(buffer.subarray(0, length)); // the next read overwrites it
        if (this.#take) this.#take(bytes);
        else this.#early.push(bytes);
        return true;
      },
    };
  }

  /** From now on, what came and what comes goes there. */
  to(take: (bytes: Buffer) => void): void {
    this.#take = take;
    for (const bytes of this.#early.splice(0)) take(bytes);
  }
}
