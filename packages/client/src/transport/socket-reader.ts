/** Reads the beginning of a conversation from a socket; what came beyond it is given back for whoever reads next. */
import type { Socket } from 'node:net';

export class SocketReader implements Disposable {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Exactly so many bytes. */
  async read(length: number): Promise<Buffer> {
    while (this.#unread.length < length) await this.#more();
    return this.#take(length);
  }

  /** Everything up to and with `end`, or `maxBytes` of what came in its place. */
  async readThrough(end: string, maxBytes: number): Promise<string> {
    for (;;) {
      const at = this.#unread.indexOf(end);
      if (at !== -1) return this.#take(at + end.length).toString('latin1');
      if (this.#unread.length >= maxBytes) return this.#take(maxBytes).toString('latin1');
      await this.#more();
    }
  }

  [Symbol.dispose](): void {
    if (this.#unread.length > 0 && !this.#socket.destroyed) this.#socket.unshift(this.#take(this.#unread.length));
  }

  #take(length: number): Buffer {
    const taken = this.#unread.subarray(0, length);
    this.#unread = this.#unread.subarray(length);
    return taken;
  }

  async #more(): Promise<void> {
    const socket = this.#socket;
    // All that is there: a stream from which less is taken says at once that it is readable, again and again.
    let bytes = socket.read() as Buffer | null;
    while (!bytes) {
      await new Promise<void>((resolve, reject) => {
        const settle = () => {
          socket.off('readable', settle).off('end', settle).off('close', settle);
          if (socket.destroyed || socket.readableEnded) {
            reject(socket.errored ?? new Error('closed the connection'));
          } else resolve();
        };
        socket.on('readable', settle).on('end', settle).on('close', settle);
        if (socket.destroyed || socket.readableEnded) settle();
      });
      bytes = socket.read() as Buffer | null;
    }
    this.#unread = Buffer.concat([this.#unread, bytes]);
  }
}
