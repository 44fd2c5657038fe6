/** Outcome: the answer of a reconciler that did not throw. */
import { OperatorError } from '@keelson/core';
import { shown } from '../log/thrown.ts';

/** What a reconciler answers: nothing left to do, or a time at which to look again. */
export type Outcome =
  | { readonly type: 'done' }
  /** For what cannot be watched: look again after this time, whatever happens in between. */
  | { readonly type: 'requeue'; readonly afterMs: number };

/** Nothing left to do until something changes. */
export const done: Outcome = { type: 'done' };

/** Look again after this time, whatever happens in between; for what cannot be watched. */
export function requeueAfter(afterMs: number): Outcome {
  if (!isDelay(afterMs)) {
    const message = `requeueAfter: afterMs must be finite and greater than 0, received ${shown(afterMs)}`;
    throw Object.assign(new RangeError(message), { code: 'ERR_OUTCOME' });
  }
  return { type: 'requeue', afterMs };
}

const isDelay = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY;

/** A reconciler answered with what is no outcome. It is treated like one that threw. */
class OutcomeError extends OperatorError {
  override readonly name = 'OutcomeError';
  readonly code = 'ERR_OUTCOME';
}

/** Types cannot hold those who cast or write JavaScript, and an answer that is misread runs an object for ever. */
export function checkedOutcome(answer: unknown, what: 'reconcile' | 'finalize'): Outcome {
  if (answer === undefined) {
    throw new OutcomeError(`${what} returned nothing; it must return done or requeueAfter(ms)`);
  }
  const { type, afterMs } = (answer ?? {}) as { readonly type?: unknown; readonly afterMs?: unknown };
  if (type === 'done') return done;
  if (type === 'requeue' && isDelay(afterMs)) return { type, afterMs };
  if (type === 'requeue') {
    throw new OutcomeError(`${what} asked to come back after ${shown(afterMs)} ms; that must be greater than 0`);
  }
  throw new OutcomeError(`${what} returned ${shown(answer)}; it must return done or requeueAfter(ms)`);
}

/** Trying again cannot help: report, and wait for the object to change. Any other error is retried with backoff. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly code = 'ERR_TERMINAL';
}

/** Whether an error is a `TerminalError`, of whatever copy of this package. */
export function isTerminal(error: unknown): error is TerminalError {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'ERR_TERMINAL';
}
