/**
 * The headers of SPDY/3.1 streams: pairs of names and values, compressed by one zlib stream for all of a connection, which
 * begins with a dictionary that the protocol gives.
 */
import { constants, createDeflate, createInflate } from 'node:zlib';

/** So many bytes the headers of a stream may have. */
const maxHeaderBytes = 2 ** 16;

const words =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status';
const moreWords = ['200 OK', 'version', 'HTTP/1.1', 'url', 'public', 'set-cookie', 'keep-alive', 'origin'];
const tail =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

/** The dictionary of the protocol: words with their lengths before them, and a text. */
const dictionary = Buffer.concat([
  ...[...words.split(' '), ...moreWords].map((word) => Buffer.concat([number(word.length), Buffer.from(word)])),
  Buffer.from(tail),
]);

type Headers = ReadonlyMap<string, string>;

/** Reads the headers of one connection, in their order. */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary });
  #chunks: Buffer[] = [];
  #size = 0;

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      // A few bytes may stand for very many.
      if (this.#size > maxHeaderBytes)
        this.#inflate.destroy(new RangeError(`more than ${maxHeaderBytes} bytes of headers`));
    });
  }

  /** One at a time. After one that cannot be read, and after `close`, none can. */
  async read(block: Uint8Array): Promise<Headers> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject);
      this.#inflate.write(block, (error) => {
        // The event may follow and needs its listener; for what was over before, there is none.
        const failure = error ?? this.#inflate.errored;
        if (failure) return reject(failure);
        this.#inflate.off('error', reject);
        resolve();
      });
    });
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    return pairsIn(bytes);
  }

  close(): void {
    this.#inflate.close();
  }
}

/** Writes the headers of one connection, in their order. */
export class HeaderWriter {
  readonly #deflate = createDeflate({ dictionary });
  #chunks: Buffer[] = [];

  constructor() {
    this.#deflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** One at a time. */
  async write(headers: Headers): Promise<Buffer> {
    const pairs = [...headers].flatMap(([name, value]) =>
      [name, value].map((text) => Buffer.concat([number(Buffer.byteLength(text)), Buffer.from(text)])),
    );
    this.#deflate.write(Buffer.concat([number(headers.size), ...pairs]));
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    const block = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return block;
  }

  close(): void {
    this.#deflate.close();
  }
}

function pairsIn(bytes: Buffer): Headers {
  let offset = 0;
  const next = (): number => {
    offset += 4;
    return bytes.readUInt32BE(offset - 4);
  };
  const text = (): string => {
    const length = next();
    offset += length;
    return bytes.toString('utf8', offset - length, offset);
  };
  const count = next();
  const pairs = new Map<string, string>();
  for (let index = 0; index < count && offset < bytes.length; index += 1) pairs.set(text(), text());
  return pairs;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
