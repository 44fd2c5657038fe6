/**
 * The one family of errors: what the API server answered, told apart by data and never by message.
 *
 * Predicates compare `code` and the Status' reason, so they hold when two copies of this package are loaded.
 */
import type { Status } from './generated/meta/v1.ts';

export type { Status };

/** Base of all errors that Keelson throws on purpose. `code` is stable; the message is for people. */
export abstract class OperatorError extends Error {
  abstract readonly code: string;
}

/** The API server answered, and its answer was a failure. */
export class ApiError extends OperatorError {
  override readonly name = 'ApiError';
  readonly code = 'ERR_API';
  readonly status: Status;

  /** `action` says what was attempted, such as `get deployments.apps default/cache`. */
  constructor(action: string, status: Status, options?: ErrorOptions) {
    super(`${action}: ${status.message ?? status.reason ?? `status ${status.code ?? 'unknown'}`}`, options);
    this.status = status;
  }
}

/** There was no answer, or none that could be read: refused, reset, timed out, cut off. */
export class TransportError extends OperatorError {
  override readonly name = 'TransportError';
  readonly code = 'ERR_TRANSPORT';

  constructor(action: string, reason: string, options?: ErrorOptions) {
    super(`${action}: ${reason}`, options);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === code;
}

/** Whether the server answered with a failure; holds for errors of another copy of this package, too. */
export function isApiError(error: unknown): error is ApiError {
  return hasCode(error, 'ERR_API');
}

/** Whether there was no answer that could be read: the request may or may not have been carried out. */
export function isTransportError(error: unknown): error is TransportError {
  return hasCode(error, 'ERR_TRANSPORT');
}

/** The reasons that Kubernetes gives, each with the code that means the same when a server gives a reason of its own. */
const codeOf: Readonly<Record<string, number | undefined>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: undefined, // 409 alone is a conflict
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: undefined, // 500 alone is an internal error
  StoreReadError: undefined,
  ServiceUnavailable: 503,
  Timeout: 504,
};

function hasReason(error: unknown, ...reasons: readonly string[]): error is ApiError {
  if (!isApiError(error)) return false;
  const { reason = '', code } = error.status;
  if (Object.hasOwn(codeOf, reason)) return reasons.includes(reason);
  return code !== undefined && reasons.some((each) => codeOf[each] === code);
}

/** The object, or the resource itself, is not there. */
export function isNotFound(error: unknown): error is ApiError {
  return hasReason(error, 'NotFound');
}

/** There is an object of that name already. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return hasReason(error, 'AlreadyExists');
}

/** Someone else wrote first (read again and decide again), or owns a field that an apply wants. */
export function isConflict(error: unknown): error is ApiError {
  return hasReason(error, 'Conflict');
}

/** The server refuses the content; `causesOf` has the fields. */
export function isInvalid(error: unknown): error is ApiError {
  return hasReason(error, 'Invalid');
}

/** The server cannot make sense of the request: a body that is no JSON, a selector that cannot be read. */
export function isBadRequest(error: unknown): error is ApiError {
  return hasReason(error, 'BadRequest');
}

/** The caller may not do this; look at its RBAC rules first. */
export function isForbidden(error: unknown): error is ApiError {
  return hasReason(error, 'Forbidden');
}

/** The credentials are missing, wrong or expired. */
export function isUnauthorized(error: unknown): error is ApiError {
  return hasReason(error, 'Unauthorized');
}

/** The resourceVersion or continue token is too old: list again. */
export function isGone(error: unknown): error is ApiError {
  return hasReason(error, 'Expired', 'Gone') || (isApiError(error) && error.status.code === 410);
}

/** The resource does not have this verb. */
export function isMethodNotAllowed(error: unknown): error is ApiError {
  return hasReason(error, 'MethodNotAllowed');
}

/** The object is larger than the server takes. */
export function isRequestEntityTooLarge(error: unknown): error is ApiError {
  return hasReason(error, 'RequestEntityTooLarge');
}

/** The server is busy, or a disruption budget forbids an eviction; it did not act. */
export function isTooManyRequests(error: unknown): error is ApiError {
  return hasReason(error, 'TooManyRequests');
}

/** The server did not finish in time; whether it acted is not known. */
export function isTimeout(error: unknown): error is ApiError {
  return hasReason(error, 'Timeout', 'ServerTimeout');
}

/** The server, or the one behind it that serves this resource, cannot be reached or is starting. */
export function isServiceUnavailable(error: unknown): error is ApiError {
  return hasReason(error, 'ServiceUnavailable');
}

/** Something broke in the server, a webhook that it had to ask included. */
export function isInternalError(error: unknown): error is ApiError {
  return hasReason(error, 'InternalError');
}

/** The server does not know this resourceVersion yet: ask again without one. */
export function isTooLargeResourceVersion(error: unknown): error is ApiError {
  return causesOf(error).some(({ reason }) => reason === 'ResourceVersionTooLarge');
}

/** The server could not do it now and says so itself (5xx). */
export function isServerError(error: unknown): error is ApiError {
  return isApiError(error) && (error.status.code ?? 0) >= 500;
}

/** The fields the server complained about, as it named them. */
export function causesOf(error: unknown): NonNullable<NonNullable<Status['details']>['causes']> {
  return isApiError(error) ? (error.status.details?.causes ?? []) : [];
}
