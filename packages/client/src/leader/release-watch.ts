/**
 * Hears when a Lease is given back, so that who stands by need not wait for its next look.
 *
 * A watch that fails, is refused or ends is begun again with the next wait, and nobody is told: looking from time to time
 * is what an election rests on, and this only makes it quicker.
 */
import { anySignal, type Clock, type NamespacedName, parseKey, sleep } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import type { Client } from '../client/client.ts';

export class ReleaseWatch implements Disposable {
  readonly #client: Client;
  readonly #lease: NamespacedName;
  readonly #end = new AbortController();
  readonly #either: ReturnType<typeof anySignal>;
  /** The watch that runs: `true` when the Lease was given back, `false` when the watch is over. */
  #release: Promise<boolean> | undefined;

  constructor(client: Client, lease: NamespacedName, signal: AbortSignal) {
    this.#client = client;
    this.#lease = lease;
    this.#either = anySignal([signal, this.#end.signal]);
  }

  /**
   * For that long, or until a Lease that somebody held is given back: then `true`. Rejects when the signal is aborted.
   */
  async wait(clock: Clock, ms: number): Promise<boolean> {
    const early = new AbortController();
    using either = anySignal([this.#either.signal, early.signal]);
    const slept = sleep(clock, ms, either.signal);
    slept.catch(() => {}); // it may lose
    this.#release ??= this.#watch().catch(() => false);
    const end = await Promise.race([slept.then(() => undefined), this.#release]);
    if (end !== undefined) this.#release = undefined;
    if (end === true) early.abort();
    else await slept;
    return end === true;
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error('the election is decided'));
    this.#either[Symbol.dispose]();
  }

  async #watch(): Promise<boolean> {
    const { namespace, name } = parseKey(this.#lease);
    const selection = { namespace, fields: `metadata.name=${name}` };
    for await (const event of this.#client.watch(Lease, { ...selection, signal: this.#either.signal })) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') {
        if (!event.object.spec?.holderIdentity) return true;
      }
    }
    return false;
  }
}
