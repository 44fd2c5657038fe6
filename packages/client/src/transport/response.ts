/**
 * Reads answers: the bytes, the JSON, the failure, the warnings.
 *
 * A failure always becomes a `Status`, also when a proxy in between sent a page of HTML, so that predicates such as
 * `isNotFound` hold. Texts from outside get into errors and warnings here and in `watch-events.ts`, cut and without
 * our secrets.
 */
import { type Status, TransportError } from '@keelson/core';
import type { ExplainedResponse } from './connect.ts';
import { maxReadLength, shown, shownWhole, statusIn } from './outside-text.ts';

export function parseAnswer(action: string, response: ExplainedResponse, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    const type = shown(response.headers['content-type'] ?? 'no content type', response.mask);
    // Broken JSON may be half a Secret, and the parser's message quotes it: neither is shown.
    const reason = type.includes('json')
      ? `the answer is broken JSON (${bytes.length} bytes)`
      : `the answer is not JSON (${type}): ${shown(bytes.toString('utf8', 0, maxReadLength), response.mask)}`;
    throw new TransportError(action, `${reason}; does a proxy answer in the server's place?`);
  }
}

/** The `Status` of a failure answer: the server's own, or one made of what came instead. */
export function statusOf(response: ExplainedResponse, bytes: Buffer): Status {
  const status = plainStatusOf(response, bytes);
  if (response.hint === undefined) return status;
  return { ...status, message: `${status.message || status.reason}; ${response.hint}` };
}

function plainStatusOf(response: ExplainedResponse, bytes: Buffer): Status {
  const { status: code, headers } = response;
  const text = bytes.toString('utf8');
  if (headers['content-type']?.includes('json')) {
    const parsed = parsedOrUndefined(text) as Status | null | undefined;
    // The code is not always in the body; the reason must be, or no predicate would hold.
    if (parsed?.kind === 'Status') {
      const told = statusIn(parsed, response.mask);
      return { ...told, code: told.code ?? code, reason: told.reason || reasonOf(code) };
    }
  }
  return failureStatus(code, describe(code, text, response.mask));
}

/** A failure in the server's own form, for what it did not say itself. */
export function failureStatus(code: number, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason: reasonOf(code), message };
}

function describe(code: number, text: string, mask: ExplainedResponse['mask']): string {
  if (code === 404)
    return `the server has no such resource (404: ${shown(text, mask)}); is its CustomResourceDefinition installed?`;
  return text.trim() === '' ? `status ${code} without a text` : `status ${code}: ${shown(text, mask)}`;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Warnings of one answer that are passed on. */
const maxWarnings = 100;

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
export function warningsOf(header: string | undefined, mask?: ExplainedResponse['mask']): readonly string[] {
  if (header === undefined) return [];
  const found = [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].slice(0, maxWarnings);
  return found.map(([, text = '']) => shownWhole(text.replace(/\\(.)/g, '$1'), mask));
}
