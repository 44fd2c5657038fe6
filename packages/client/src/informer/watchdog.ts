/** Ends a watch that falls silent, or lives longer than was agreed with the server. */
import { type Clock, TransportError } from '@keelson/core';

export interface WatchdogLimits {
  /** How long nothing may come. */
  readonly silenceMs: number;
  /** How long the watch may last. */
  readonly lifeMs: number;
}

export class Watchdog implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #action: string;
  readonly #silenceMs: number;
  readonly #endsAt: number;
  #fedAt: number;
  #timer: Disposable | undefined;
  #firedFor: 'silence' | 'age' | undefined;

  constructor(clock: Clock, stop: AbortSignal, action: string, { silenceMs, lifeMs }: WatchdogLimits) {
    this.#clock = clock;
    this.#stop = stop;
    this.#action = action;
    this.#silenceMs = silenceMs;
    this.#fedAt = clock.monotonic();
    this.#endsAt = this.#fedAt + lifeMs;
    stop.addEventListener('abort', this.#onStop, { once: true });
    if (stop.aborted) this.#onStop();
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it ended the watch, if it did. */
  get firedFor(): 'silence' | 'age' | undefined {
    return this.#firedFor;
  }

  /** Something came. */
  feed(): void {
    this.#fedAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#stop.removeEventListener('abort', this.#onStop);
  }

  readonly #onStop = () => this.#controller.abort(this.#stop.reason);

  /** The timer is not moved by every event; when it rings, it looks whether it rang too early. */
  #arm(): void {
    const now = this.#clock.monotonic();
    const firesAt = Math.min(this.#endsAt, this.#fedAt + this.#silenceMs);
    if (now < firesAt) {
      this.#timer = this.#clock.setTimer(firesAt - now, () => this.#arm());
      return;
    }
    this.#firedFor = now >= this.#endsAt ? 'age' : 'silence';
    const why =
      this.#firedFor === 'age' ? 'it did not end when it was to' : `nothing came for ${this.#silenceMs / 1000} s`;
    this.#controller.abort(new TransportError(this.#action, why));
  }
}
