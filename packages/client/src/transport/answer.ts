/**
 * Reads answers: the bytes, the JSON, the failure, the warnings.
 *
 * A failure always becomes a `Status`, also when a proxy in between sent a page of HTML, so that predicates such as
 * `isNotFound` hold.
 */
import { type Status, TransportError, type TransportResponse } from '@keelson/core';
import type { ExplainedResponse } from './connect.ts';

/** Enough of an unexpected text to recognise it. */
const maxQuotedLength = 300;

/** All bytes of an answer, put together once. */
export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const [first] = chunks;
  if (chunks.length === 1 && first) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return Buffer.concat(chunks);
}

export function parseAnswer(action: string, { headers }: TransportResponse, bytes: Buffer): unknown {
  const type = headers['content-type'] ?? 'no content type';
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // Broken JSON may be half a Secret, and the parser's message quotes it: neither is shown.
    const reason = type.includes('json')
      ? `the answer is broken JSON (${bytes.length} bytes)`
      : `the answer is not JSON (${type}): ${quoted(bytes.toString('utf8', 0, maxQuotedLength * 4))}`;
    throw new TransportError(action, `${reason}; does a proxy answer in the server's place?`);
  }
}

/** The `Status` of a failure answer: the server's own, or one made of what came instead. */
export function statusOf(response: ExplainedResponse, bytes: Buffer): Status {
  const status = plainStatusOf(response, bytes);
  if (response.hint === undefined) return status;
  return { ...status, message: `${status.message || status.reason}; ${response.hint}` };
}

function plainStatusOf({ status: code, headers }: TransportResponse, bytes: Buffer): Status {
  const text = bytes.toString('utf8');
  if (headers['content-type']?.includes('json')) {
    const parsed = parsedOrUndefined(text) as Status | null | undefined;
    // The code is not always in the body; the reason must be, or no predicate would hold.
    if (parsed?.kind === 'Status')
      return { ...parsed, code: parsed.code ?? code, reason: parsed.reason || reasonOf(code) };
  }
  return failureStatus(code, describe(code, text));
}

/** A failure in the server's own form, for what it did not say itself. */
export function failureStatus(code: number, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason: reasonOf(code), message };
}

function describe(code: number, text: string): string {
  if (code === 404)
    return `the server has no such resource (404: ${quoted(text)}); is its CustomResourceDefinition installed?`;
  return text.trim() === '' ? `status ${code} without a text` : `status ${code}: ${quoted(text)}`;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxQuotedLength ? line : `${line.slice(0, maxQuotedLength)}…`;
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function reasonOf(code: number): string {
  return reasons[code] ?? 'Unknown';
}

/** The texts of a `Warning` header: `299 - "text", 299 - "text"`. */
export function warningsOf(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
