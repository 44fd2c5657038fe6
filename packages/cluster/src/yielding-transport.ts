/**
 * A way to the API server on which many requests leave room for others.
 *
 * In process a request is a chain of microtasks, and a controller that makes a thousand pods would let no socket speak
 * until it is done. On this way one request passes in each turn of the event loop, and the rest wait for the next one.
 *
 * Promises: requests keep their order; while there is no need, nothing waits, so that virtual time stays a matter of
 * microtasks.
 */
import type { Transport } from '@keelson/core';
import { nextTurn } from '@keelson/core/system';

/** Each costs up to forty milliseconds with all that it causes, where there are a thousand pods. */
const perTurn = 1;

export function yieldingTransport(transport: Transport, isNeeded: () => boolean): Transport {
  const gate = new Gate();
  return {
    async request(request) {
      if (isNeeded()) await gate.pass();
      return await transport.request(request);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

class Gate {
  readonly #waiting: (() => void)[] = [];
  #passed = 0;
  #isTurning = false;

  /** Resolves at once for the first of a turn, and for the others in one of the next turns. */
  async pass(): Promise<void> {
    if (!this.#isTurning) void this.#turn();
    if (this.#waiting.length === 0 && this.#passed < perTurn) this.#passed += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #turn(): Promise<void> {
    this.#isTurning = true;
    do {
      await nextTurn();
      this.#passed = Math.min(this.#waiting.length, perTurn);
      for (const resolve of this.#waiting.splice(0, perTurn)) resolve();
    } while (this.#passed > 0);
    this.#isTurning = false;
  }
}
