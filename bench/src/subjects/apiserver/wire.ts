/**
 * HTTP/1.1 over TLS by the barest means, one request at a time: what generates the load must not be what is measured.
 *
 * Does not: keep or parse what comes. It counts the bytes of a body, and the lines of a watch.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';

export interface Answer {
  readonly status: number;
  /** Of the body, without what HTTP puts around its pieces. */
  readonly bytes: number;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly accept?: string;
  readonly body?: string;
}

/** What is read next: the head of an answer, the size of a piece, the bytes of a piece, or the line behind it. */
type Expected = 'head' | 'size' | 'bytes' | 'rest';

const endOfHead = '\r\n\r\n';
const newline = 0x0a;

export class Wire {
  readonly #socket: TLSSocket;
  readonly #host: string;
  #expected: Expected = 'head';
  #text = '';
  #left = 0;
  #isChunked = false;
  #status = 0;
  #bytes = 0;
  #answered: ((answer: Answer) => void) | undefined;
  #onHead: (() => void) | undefined;
  #onLines: ((count: number) => void) | undefined;

  /** Connects as a kubeconfig says, and resolves when the handshake is over. */
  static async open(kubeconfig: string): Promise<Wire> {
    const text = readFileSync(kubeconfig, 'utf8');
    const value = (name: string) => new RegExp(`${name}: *"?([^"\\s]+)`).exec(text)?.[1] ?? '';
    const pem = (name: string) => Buffer.from(value(name), 'base64');
    const { hostname, port, host } = new URL(value('server'));
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: pem('certificate-authority-data'),
      cert: pem('client-certificate-data'),
      key: pem('client-key-data'),
    });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    return new Wire(socket, host);
  }

  constructor(socket: TLSSocket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', (error) => {
      throw error;
    });
    // Servers close watches that do not keep up; what they would have told is never told.
    socket.on('close', () => {
      throw new Error('the server has closed a connection');
    });
  }

  /** Resolves with the end of the answer. */
  ask(question: Question): Promise<Answer> {
    this.#send(question);
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  /** Resolves when the watch is on; `onLines` hears how many further events have come. */
  watch(path: string, onLines: (count: number) => void): Promise<void> {
    this.#onLines = onLines;
    this.#send({ method: 'GET', path });
    return new Promise((resolve) => {
      this.#onHead = resolve;
    });
  }

  #send({ method, path, accept = 'application/json', body }: Question): void {
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\naccept: ${accept}\r\n`;
    const content =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${head}${content}\r\n${body ?? ''}`);
  }

  #read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#expected === 'bytes') {
        const end = Math.min(bytes.length, at + this.#left);
        this.#take(bytes, at, end);
        at = end;
      } else at = this.#readText(bytes, at);
    }
  }

  #take(bytes: Buffer, from: number, to: number): void {
    this.#bytes += to - from;
    this.#left -= to - from;
    if (this.#onLines !== undefined) {
      let lines = 0;
      for (let at = bytes.indexOf(newline, from); at !== -1 && at < to; at = bytes.indexOf(newline, at + 1)) lines += 1;
      if (lines > 0) this.#onLines(lines);
    }
    if (this.#left > 0) return;
    if (this.#isChunked) this.#expected = 'rest';
    else this.#finish();
  }

  /** Reads up to the end of a line, or of the head; returns where to go on. */
  #readText(bytes: Buffer, from: number): number {
    const mark = this.#expected === 'head' ? endOfHead : '\r\n';
    const before = this.#text.length;
    this.#text += bytes.toString('latin1', from, Math.min(bytes.length, from + 4096));
    const end = this.#text.indexOf(mark);
    if (end === -1) return from + this.#text.length - before;
    const text = this.#text.slice(0, end);
    this.#text = '';
    this.#understand(text);
    return from + end + mark.length - before;
  }

  #understand(text: string): void {
    if (this.#expected === 'head') {
      this.#status = Number(text.slice(9, 12));
      this.#isChunked = /^transfer-encoding: chunked/im.test(text);
      this.#left = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      this.#bytes = 0;
      this.#expected = this.#isChunked ? 'size' : 'bytes';
      this.#onHead?.();
      if (!this.#isChunked && this.#left === 0) this.#finish();
    } else if (this.#expected === 'rest') this.#expected = 'size';
    else {
      this.#left = Number.parseInt(text, 16);
      // The last piece is empty, and an empty line follows it.
      if (this.#left > 0) this.#expected = 'bytes';
      else if (text !== '') this.#expected = 'size';
      else this.#finish();
    }
  }

  #finish(): void {
    this.#expected = 'head';
    this.#answered?.({ status: this.#status, bytes: this.#bytes });
  }
}
