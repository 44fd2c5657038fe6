/** One connection to the server: a socket that stands, for one request after the other. */
import type { Socket } from 'node:net';
import type { TransportRequest } from '@keelson/core';
import { type AnswerHead, AnswerParser } from './answer-parser.ts';
import { ClosedEarly } from './failure.ts';
import type { Incoming } from './incoming.ts';

/** What one exchange is told; nothing after `onEnd` or `onFailure`. */
export interface ExchangeSink {
  onHead(head: AnswerHead): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onFailure(error: Error): void;
}

/** A request that was sent, and whose answer is not complete. */
interface Pending {
  readonly sink: ExchangeSink;
  readonly parser: AnswerParser;
}

export class Connection {
  readonly #socket: Socket;
  #pending: Pending | undefined;
  #isUsable = true;
  #idleMs = Number.POSITIVE_INFINITY;

  /**
   * @param onClosed when it cannot be used any more
   * @param incoming what the socket was made to read to, if it does not read as a stream
   */
  constructor(socket: Socket, onClosed: () => void, incoming?: Incoming) {
    this.#socket = socket;
    incoming?.to((bytes) => this.#read(bytes));
    socket
      .on('data', (bytes: Buffer) => this.#read(bytes)) // none comes so where it reads past its stream
      .on('error', (error) => this.#fail(error))
      .on('end', () => this.#ended())
      .on('timeout', () => this.close()) // set only while it is idle
      .on('close', () => {
        this.#fail(new ClosedEarly());
        onClosed();
      });
  }

  /** Whether another request may be sent. */
  get isUsable(): boolean {
    return this.#isUsable && this.#pending === undefined;
  }

  send(head: string, body: TransportRequest['body'], sink: ExchangeSink): void {
    const socket = this.#socket;
    if (socket.destroyed) {
      sink.onFailure(socket.errored ?? new ClosedEarly());
      return;
    }
    this.#pending = { sink, parser: new AnswerParser(sink) };
    if (body === undefined) {
      socket.write(head, 'latin1');
      return;
    }
    socket.cork(); // one record of TLS for both
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  /** For the answer that is being read; once that is complete, the next one must not find a socket that is not read. */
  pause(): void {
    if (this.#pending) this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Waits for the next request so long, or as long as the server does, and does not keep the process alive meanwhile. */
  rest(maxMs: number): void {
    this.#socket.setTimeout(Math.min(maxMs, this.#idleMs)).unref();
  }

  wake(): void {
    this.#socket.setTimeout(0).ref();
  }

  close(reason?: Error): void {
    this.#isUsable = false;
    this.#socket.destroy(reason);
  }

  #read(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) {
      this.close(); // nobody asked
      return;
    }
    try {
      pending.parser.push(bytes);
    } catch (error) {
      this.#fail(error as Error);
      this.close();
      return;
    }
    if (pending.parser.isComplete) this.#complete(pending);
  }

  #ended(): void {
    const pending = this.#pending;
    this.#isUsable = false;
    if (pending?.parser.close()) this.#complete(pending);
    else this.close(); // also where it has not read what we wrote
  }

  #complete({ sink, parser }: Pending): void {
    this.#pending = undefined;
    // A server that answers before it has read everything may not read the rest.
    if (!parser.keepsAlive || this.#socket.writableLength > 0) this.#isUsable = false;
    this.#idleMs = parser.idleMs;
    this.#socket.resume(); // a reader that fell behind has all of it now
    sink.onEnd();
  }

  #fail(error: Error): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#isUsable = false;
    pending?.sink.onFailure(error);
  }
}
