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
  #bite: 'silence' | 'age' | undefined;

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
  get bite(): 'silence' | 'age' | undefined {
    return this.#bite;
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
    const bitesAt = Math.min(this.#endsAt, this.#fedAt + this.#silenceMs);
    if (now < bitesAt) {
      this.#timer = this.#clock.setTimer(bitesAt - now, () => this.#arm());
      return;
    }
    this.#bite = now >= this.#endsAt ? 'age' : 'silence';
    const why = this.#bite === 'age' ? 'it did not end when it was to' : `nothing came for ${this.#silenceMs / 1000} s`;
    this.#controller.abort(new TransportError(this.#action, why));
  }
}
