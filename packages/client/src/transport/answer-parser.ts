/**
 * Reads one answer of HTTP/1.1 from the bytes of a connection, however they are cut.
 *
 * Strict: whatever could be read in two ways is an error (two lengths, a length beside chunks, lines without CR, folded
 * headers), since the next answer would begin in the wrong place. Errors quote nothing of what came.
 */
import { HeadTooLong, NotHttp } from './failure.ts';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Of all heads and trailers of an answer, and of the line before a chunk: as much as Node's own client allows. */
const maxHeadBytes = 16 * 1024;
const beginning = Buffer.from('HTTP/1.');
const statusLine = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const chunkLine = /^([0-9A-Fa-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const onlyDigits = /^[0-9]{1,15}$/;
const closing = /(?:^|[\s,])close(?:$|[\s,])/i;
const idleSeconds = /(?:^|[\s,])timeout=([0-9]{1,6})/i;
/** We close that much before the server does, so that no request meets its closing. */
const marginMs = 1000;

export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; of a header that came twice, both values, with a comma between. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Gets the parts of an answer as they come. */
export interface AnswerSink {
  onHead(head: AnswerHead): void;
  onData(bytes: Uint8Array): void;
}

type State = 'head' | 'sized' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer' | 'until close' | 'complete';

export class AnswerParser {
  readonly #sink: AnswerSink;
  #state: State = 'head';
  /** What came of a line, or of a head, that is not complete. */
  #pending: Buffer | undefined;
  #headBytes = 0;
  /** Of the body, or of its chunk. */
  #bytesLeft = 0;
  #keepsAlive = true;
  #idleMs = Number.POSITIVE_INFINITY;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /** Whether the connection can be used again, once the answer is complete. */
  get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  /** For how long it can be used again without being used. */
  get idleMs(): number {
    return this.#idleMs;
  }

  /** Takes what came; throws where that is not HTTP. Nothing may come after the end of the answer. */
  push(bytes: Buffer): void {
    let rest = this.#pending === undefined ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#pending = undefined;
    while (rest.length > 0) {
      const used = this.#read(rest);
      if (used === 0) {
        this.#pending = rest;
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** No more will come. Whether the answer is complete with that. */
  close(): boolean {
    this.#keepsAlive = false;
    if (this.#state === 'until close') this.#state = 'complete';
    return this.isComplete;
  }

  /** How many of the bytes were read; none, if more must come first. */
  #read(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes);
      case 'sized':
        return this.#readData(bytes, 'complete');
      case 'chunk size':
        return this.#readLine(bytes, (line) => this.#beginChunk(line));
      case 'chunk':
        return this.#readData(bytes, 'chunk end');
      case 'chunk end':
        return this.#readLine(bytes, (line) => {
          if (line !== '') throw new NotHttp('a chunk is longer than it says');
          this.#state = 'chunk size';
          this.#headBytes = 0;
        });
      case 'trailer':
        return this.#readLine(bytes, (line) => {
          if (line === '') this.#state = 'complete';
        });
      case 'until close':
        this.#sink.onData(bytes);
        return bytes.length;
      case 'complete':
        throw new NotHttp('more came than the answer');
    }
  }

  #readHead(bytes: Buffer): number {
    const known = Math.min(bytes.length, beginning.length);
    if (bytes.compare(beginning, 0, known, 0, known) !== 0) throw new NotHttp('no status line');
    const end = bytes.indexOf('\r\n\r\n');
    this.#count(end === -1 ? bytes.length : end, end !== -1);
    if (end === -1) return 0;
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const [, minor, code] = statusLine.exec(first) ?? [];
    if (code === undefined) throw new NotHttp('a status line that cannot be read');
    const status = Number(code);
    if (status === 101) throw new NotHttp('another protocol, which nobody asked for');
    if (status >= 200) this.#begin(status, headersIn(lines), minor === '1');
    return end + 4;
  }

  #begin(status: number, headers: Readonly<Record<string, string>>, isPersistent: boolean): void {
    const { connection = '', 'content-length': length, 'transfer-encoding': coding } = headers;
    const [, seconds] = idleSeconds.exec(headers['keep-alive'] ?? '') ?? [];
    if (seconds !== undefined) this.#idleMs = Number(seconds) * 1000 - marginMs;
    this.#keepsAlive = isPersistent && !closing.test(connection) && this.#idleMs > 0;
    if (status === 204 || status === 304) {
      this.#state = 'complete'; // whatever its headers say
      if (coding !== undefined) this.#keepsAlive = false;
    } else if (coding !== undefined) {
      if (length !== undefined) throw new NotHttp('a length beside chunks');
      if (coding.toLowerCase() !== 'chunked') throw new NotHttp('an unknown transfer coding');
      this.#state = 'chunk size';
      this.#headBytes = 0;
    } else if (length === undefined) {
      this.#state = 'until close';
      this.#keepsAlive = false;
    } else {
      if (!onlyDigits.test(length)) throw new NotHttp('a length that cannot be read');
      this.#bytesLeft = Number(length);
      this.#state = this.#bytesLeft === 0 ? 'complete' : 'sized';
    }
    this.#sink.onHead({ status, headers });
  }

  #beginChunk(line: string): void {
    const [, size] = chunkLine.exec(line) ?? [];
    if (size === undefined) throw new NotHttp('a chunk without a size');
    this.#bytesLeft = Number.parseInt(size, 16);
    this.#state = this.#bytesLeft === 0 ? 'trailer' : 'chunk';
  }

  #readData(bytes: Buffer, next: State): number {
    const data = bytes.length > this.#bytesLeft ? bytes.subarray(0, this.#bytesLeft) : bytes;
    this.#bytesLeft -= data.length;
    if (this.#bytesLeft === 0) this.#state = next;
    this.#sink.onData(data);
    return data.length;
  }

  #readLine(bytes: Buffer, take: (line: string) => void): number {
    const end = bytes.indexOf(lineFeed);
    this.#count(end === -1 ? bytes.length : end, end !== -1);
    if (end === -1) return 0;
    if (bytes[end - 1] !== carriageReturn) throw new NotHttp('a line without CR');
    take(bytes.toString('latin1', 0, end - 1));
    return end + 1;
  }

  /** What is not complete comes again, with more behind it. */
  #count(bytes: number, isComplete: boolean): void {
    if (this.#headBytes + bytes > maxHeadBytes) throw new HeadTooLong();
    if (isComplete) this.#headBytes += bytes;
  }
}

function headersIn(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of lines) {
    const [, name, value = ''] = headerLine.exec(line) ?? [];
    if (name === undefined) throw new NotHttp('a header that cannot be read');
    const key = name.toLowerCase();
    const before = headers[key];
    headers[key] = before === undefined ? trimmed(value) : `${before}, ${trimmed(value)}`;
  }
  return headers;
}

/** Without blanks and tabs around it. `trim` takes more, and an expression that looks for the end takes long. */
function trimmed(value: string): string {
  const isBlank = (at: number) => value[at] === ' ' || value[at] === '\t';
  let [start, end] = [0, value.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return value.slice(start, end);
}
