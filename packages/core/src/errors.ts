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

export function isApiError(error: unknown): error is ApiError {
  return hasCode(error, 'ERR_API');
}

export function isTransportError(error: unknown): error is TransportError {
  return hasCode(error, 'ERR_TRANSPORT');
}

function hasReason(error: unknown, reason: string): error is ApiError {
  return isApiError(error) && error.status.reason === reason;
}

/** The object, or the resource itself, is not there. */
export function isNotFound(error: unknown): error is ApiError {
  return hasReason(error, 'NotFound');
}

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
  return (
    isApiError(error) &&
    (error.status.reason === 'Expired' || error.status.reason === 'Gone' || error.status.code === 410)
  );
}

export function isTooManyRequests(error: unknown): error is ApiError {
  return hasReason(error, 'TooManyRequests');
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
