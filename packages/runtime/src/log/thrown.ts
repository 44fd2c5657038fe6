/**
 * Whatever an author's code throws, as an error that can be logged, shown to users and handed to `onError`.
 *
 * An error stays what it is, also one of another realm (a `vm` context, a worker's copy of `Error`). Anything else is
 * wrapped: JavaScript lets people throw `undefined`, strings and objects that cannot even be printed.
 */
import { inspect, types } from 'node:util';
import { OperatorError } from '@keelson/core';

/** The author's code threw, or rejected with, what is no error. `cause` is what it was. */
class ThrownValueError extends OperatorError {
  override readonly name = 'ThrownValueError';
  readonly code = 'ERR_THROWN_VALUE';
}

/** `what` threw it: `reconcile`. */
export function errorOf(thrown: unknown, what: string): Error {
  if (isError(thrown)) return thrown;
  return new ThrownValueError(`${what} threw ${shown(thrown)}, which is no Error and tells nobody where`, {
    cause: thrown,
  });
}

export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || types.isNativeError(value);
  } catch {
    return false; // a proxy that does not want to be asked
  }
}

/** A value in a message: short, on one line, and never a reason to fail. */
export function shown(value: unknown): string {
  try {
    // Without `compact: true`, an array of more than six has lines of its own.
    const oneLine = { compact: true, breakLength: Number.POSITIVE_INFINITY };
    const text = inspect(value, { ...oneLine, depth: 1, maxStringLength: 200 });
    return text.length > 300 ? `${text.slice(0, 300)}…` : text;
  } catch {
    return 'something that cannot be printed';
  }
}
