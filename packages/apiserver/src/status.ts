/**
 * Failures as the API server words them: a `Status` in the making, thrown by any step.
 *
 * Clients branch on reason and code, people read the message; both are those of the real server.
 */

import type { Status } from '@keelson/core';
import { type Problem, problemsText } from '@keelson/schema/validation';

/** A group and the plural of a resource, or a kind where the real server names that. */
export interface Named {
  readonly group: string;
  readonly name: string;
}

/** Go's GroupResource.String and GroupKind.String. */
const qualified = ({ group, name }: Named): string => (group === '' ? name : `${name}.${group}`);

export const resourceNamed = ({ group, resource }: { group: string; resource: string }): Named => ({
  group,
  name: resource,
});
export const kindNamed = ({ group, kind }: { group: string; kind: string }): Named => ({ group, name: kind });

type Details = NonNullable<Status['details']>;

/** Ends a request with this answer. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: Details) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason !== '' && { reason }),
      ...(details !== undefined && { details }),
      code,
    };
  }
}

const detailsOf = ({ group, name }: Named, object: string, more: Partial<Details> = {}): Details => ({
  ...(object !== '' && { name: object }),
  ...(group !== '' && { group }),
  ...(name !== '' && { kind: name }),
  ...more,
});

const quote = (text: string): string => JSON.stringify(text);

export const notFound = (resource: Named, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(resource)} ${quote(name)} not found`, detailsOf(resource, name));

/** There is no such resource: the path leads nowhere although the group exists. */
export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (resource: Named, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource)} ${quote(name)} already exists`,
    detailsOf(resource, name),
  );

export const generateNameConflict = (resource: Named, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    detailsOf(resource, name, { retryAfterSeconds: 1 }),
  );

export const conflict = (resource: Named, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${quote(name)}: ${why}`,
    detailsOf(resource, name),
  );

export const modified = (resource: Named, name: string): StatusError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized');

export function forbidden(resource: Named, name: string, why: string, causes?: Details['causes']): StatusError {
  const what =
    qualified(resource) === '' ? 'forbidden' : `${qualified(resource)}${name && ` ${quote(name)}`} is forbidden`;
  return new StatusError(403, 'Forbidden', `${what}: ${why}`, detailsOf(resource, name, causes && { causes }));
}

export function invalid(kind: Named, name: string, causes: readonly Problem[]): StatusError {
  return new StatusError(
    422,
    'Invalid',
    `${qualified(kind)} ${quote(name)} is invalid: ${problemsText(causes)}`,
    detailsOf(kind, name, { causes: causes.map(({ reason, message, field }) => ({ reason, message, field })) }),
  );
}

/** Query parameters that contradict each other or have unknown values. */
export const invalidOptions = (kind: string, causes: readonly Problem[]): StatusError =>
  invalid({ group: 'meta.k8s.io', name: kind }, '', causes);

/** No such verb on this path at all, which the real server says without naming anything. */
export const methodUnknown = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** Real Kubernetes does this and we do not: said, rather than answered by half. */
export const notImplemented = (what: string): StatusError =>
  new StatusError(501, 'NotImplemented', `${what} is not implemented by this server`);

export const tooLargeResourceVersion = (asked: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const tooLarge = (message: string): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

/** What Go's client library says of a code when nothing else is known; the server uses it for failed patches. */
export const unprocessable = (): StatusError =>
  new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const internalError = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
