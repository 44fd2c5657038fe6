/**
 * One term of leadership.
 *
 * Promises: `isCurrent` is false from the moment at which another replica could lead, whatever this process was doing
 * meanwhile. It is computed from the clock each time, so a blocked event loop or a stopped process cannot delay it, and
 * it takes the larger of the monotonic and the wall time that passed, since a suspended machine stops the former. A term
 * that was lost never becomes current again.
 *
 * Why that holds: others may take the Lease only `leaseDuration` after they saw it renewed, which is after we sent the
 * renewal; we count `renewDeadline`, which is shorter, from before we sent it.
 * Does not: recall a request that is on the wire when the term ends. It is aborted, but the server may have it already,
 * or get it later, from a network that held it back. What that request can still do is up to what it carries: an update
 * with its `resourceVersion`, a delete with `preconditions`, a patch or apply with `metadata.uid` (and, to be strict,
 * `resourceVersion`) is refused once another has written or recreated the object; a create is refused if the name exists.
 * What remains is a request without any of these, or one to an object that is unchanged since.
 * Nor: notice that a machine was suspended whose wall clock was set back by as much meanwhile.
 */
import { type Clock, OperatorError } from '@keelson/core';

/** The time in which this replica leads. Disposing it gives the Lease back. */
export interface Term extends AsyncDisposable {
  /** Aborted with a `LeadershipLostError` when the term ends. */
  readonly signal: AbortSignal;
  isCurrent(): boolean;
  /** Throws a `LeadershipLostError` unless the term is current. Give it to `client.with({ guard })`. */
  readonly assertCurrent: () => void;
  /** Ends the term and gives the Lease back. What it guarded must have come to rest before. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** This replica does not lead, or no longer. */
export class LeadershipLostError extends OperatorError {
  override readonly name = 'LeadershipLostError';
  readonly code = 'ERR_LEADERSHIP_LOST';
}

/** Whether a term of leadership has ended; what was begun in it was stopped. */
export function isLeadershipLost(error: unknown): error is LeadershipLostError {
  return error instanceof Error && (error as { readonly code?: unknown }).code === 'ERR_LEADERSHIP_LOST';
}

/** When something was sent, on both clocks. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const instantOf = (clock: Clock): Instant => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() });

/** The part of a term that keeps time. */
export class TermClock {
  readonly #clock: Clock;
  readonly #renewDeadlineMs: number;
  readonly #onEnd: () => void;
  readonly #controller = new AbortController();
  #renewed: Instant;
  #timer: Disposable | undefined;

  /** `onEnd` is called once, when the term is over. */
  constructor(clock: Clock, renewDeadlineMs: number, renewed: Instant, onEnd: () => void) {
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#renewed = renewed;
    this.#onEnd = onEnd;
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How much of the term is left without another renewal. */
  remainingMs(): number {
    const { monotonicMs, wallMs } = this.#renewed;
    const elapsedMs = Math.max(this.#clock.monotonic() - monotonicMs, this.#clock.now() - wallMs);
    return this.#renewDeadlineMs - elapsedMs;
  }

  isCurrent(): boolean {
    if (this.signal.aborted) return false;
    if (this.remainingMs() > 0) return true;
    this.end('the lease could not be renewed in time');
    return false;
  }

  /** The server has confirmed what we sent at `sent`. */
  renew(sent: Instant): void {
    if (!this.isCurrent()) return;
    this.#renewed = sent;
    this.#arm();
  }

  end(why: string): void {
    this.#timer?.[Symbol.dispose]();
    if (this.signal.aborted) return;
    this.#controller.abort(new LeadershipLostError(`leadership ended: ${why}`));
    this.#onEnd();
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.setTimer(this.remainingMs(), () => {
      if (this.isCurrent()) this.#arm();
    });
  }
}
