/** The first lines of a request, up to the empty one. */
import type { TransportRequest } from '@keelson/core';

export interface RequestLines extends Pick<TransportRequest, 'method' | 'path' | 'body'> {
  /** Names in lower case; a list is a header for each of its values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

const anyPath = /^\/[\x21-\x7e]*$/;
/** Where a request ends is ours to say. */
const framing = /^(?:content-length|transfer-encoding|upgrade|connection)$/i;
const anyName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const anyValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * In latin1: one byte for each character. Throws where a path or a header would end too early, and where a header says
 * where the request ends.
 */
export function requestHead({ method, path, headers, body }: RequestLines): string {
  if (!anyPath.test(path)) throw new TypeError('the path of a request has a character that must be escaped');
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const name in headers) {
    if (framing.test(name)) throw new TypeError(`the header ${name} of a request cannot be sent: it is made here`);
    if (!anyName.test(name)) throw new TypeError('a header of a request has a name that cannot be sent');
    const value = headers[name] ?? '';
    for (const each of typeof value === 'string' ? [value] : value) {
      if (!anyValue.test(each)) throw new TypeError(`the header ${name} of a request has a value that cannot be sent`);
      head += `${name}: ${each}\r\n`;
    }
  }
  if (body !== undefined || method === 'POST' || method === 'PUT' || method === 'PATCH') {
    head += `content-length: ${body === undefined ? 0 : Buffer.byteLength(body)}\r\n`;
  }
  return `${head}\r\n`;
}
