/**
 * The server's side of a SPDY/3.1 connection inside a WebSocket: streams that the caller opens, with bytes both ways.
 *
 * Promises: what a stream's taker has not read keeps the caller waiting; a caller that takes nothing is let go; what is not
 * SPDY ends the connection; a stream that is open cannot be opened again.
 */
import type { MessageSocket } from '../request/exchange.ts';
import { Incoming, maxUntakenBytes, sharing } from '../request/incoming.ts';
import { dataFrame, type Frame, FrameReader, pingFrame, replyFrame, resetFrame, resetReason } from './frames.ts';
import { HeaderReader, HeaderWriter } from './header-blocks.ts';

/** One stream, as the caller opened it. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  /** Ends when the caller says so, or is gone. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Aborted when the caller gives the stream up, or is gone. */
  readonly signal: AbortSignal;
  write(bytes: Uint8Array): void;
  /** Nothing follows from here. */
  end(): void;
}

export function serveSpdy(socket: MessageSocket, onStream: (stream: SpdyStream) => void): void {
  const connection = new Connection(socket, onStream);
  // Headers are decompressed off the thread, and frames count in their order.
  let turn = Promise.resolve();
  const reader = new FrameReader();
  socket.onMessage((bytes) => {
    turn = turn
      .then(async () => {
        for (const frame of reader.push(bytes)) await connection.receive(frame);
      })
      .catch(() => socket.abort());
  });
  socket.onClose(() => connection.close());
}

class Stream implements SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly input: Incoming;
  readonly #left = new AbortController();
  readonly #send: (bytes: Uint8Array, isLast: boolean) => void;
  #isEnded = false;

  constructor(
    headers: ReadonlyMap<string, string>,
    input: Incoming,
    send: (bytes: Uint8Array, isLast: boolean) => void,
  ) {
    this.headers = headers;
    this.input = input;
    this.#send = send;
  }

  /** Nobody will say anything more on it. */
  get isOver(): boolean {
    return this.#isEnded && this.input.isOver;
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  write(bytes: Uint8Array): void {
    if (!this.#isEnded && bytes.length > 0) this.#send(bytes, false);
  }

  end(): void {
    if (!this.#isEnded) this.#send(Buffer.alloc(0), true);
    this.#isEnded = true;
  }

  abandon(): void {
    this.#isEnded = true;
    this.input.end();
    this.#left.abort(new Error('the caller left'));
  }
}

class Connection {
  readonly #socket: MessageSocket;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, Stream>();
  /** One stream that is not read holds up all of them. */
  readonly #share: ReturnType<typeof sharing>;
  readonly #headers = new HeaderReader();
  readonly #replies = new HeaderWriter();
  #isClosed = false;

  constructor(socket: MessageSocket, onStream: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#share = sharing(socket);
    this.#onStream = onStream;
  }

  async receive(frame: Frame): Promise<void> {
    if (this.#isClosed) return;
    switch (frame.type) {
      case 'open':
        return await this.#open(frame.stream, await this.#headers.read(frame.headers), frame.isLast);
      case 'data': {
        const stream = this.#streams.get(frame.stream);
        if (stream === undefined) return this.#send(resetFrame(frame.stream, resetReason.protocolError));
        stream.input.push(frame.bytes);
        if (frame.isLast) stream.input.end();
        if (stream.isOver) this.#streams.delete(frame.stream);
        return;
      }
      case 'reset':
        this.#streams.get(frame.stream)?.abandon();
        this.#streams.delete(frame.stream);
        return;
      case 'ping':
        return this.#send(pingFrame(frame.id));
      case 'headers':
        await this.#headers.read(frame.headers);
        return;
      case 'other':
        return;
      default:
        return frame satisfies never;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.abandon();
    this.#streams.clear();
    this.#headers.close();
    this.#replies.close();
  }

  async #open(id: number, headers: ReadonlyMap<string, string>, isLast: boolean): Promise<void> {
    // The caller may have left while its headers were read.
    if (this.#isClosed) return;
    if (this.#streams.has(id)) return this.#send(resetFrame(id, resetReason.protocolError));
    const input = new Incoming(this.#share());
    const stream = new Stream(headers, input, (bytes, last) => {
      this.#send(dataFrame(id, bytes, last));
      if (last && input.isOver) this.#streams.delete(id);
    });
    if (isLast) input.end();
    this.#streams.set(id, stream);
    const reply = await this.#replies.write(new Map());
    if (stream.signal.aborted) return;
    this.#send(replyFrame(id, reply));
    this.#onStream(stream);
  }

  #send(bytes: Buffer): void {
    if (this.#socket.pending > maxUntakenBytes) this.#socket.abort();
    else this.#socket.send(bytes);
  }
}
