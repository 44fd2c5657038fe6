/**
 * What time it is for all who share certificates: this machine's, unless the API server's is quite another.
 *
 * A replica whose clock is wrong by a month would call good certificates ended, and make some that nobody else finds
 * valid. So before it changes anything it asks the API server, which is also who verifies.
 * Does not: ask otherwise. A clock that is stepped counts as it is until the next question.
 */
import type { Client } from '@keelson/client';
import { type Clock, isTransportError } from '@keelson/core';
import { Secret } from '@keelson/core/v1';

/** Servers tell whole seconds, and an answer takes its time. */
const toleranceMs = 300_000;

export class SharedTime {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #clock: Clock;
  #aheadMs = 0;
  /** How far the wall clock was from the one that never jumps when it was compared. */
  #apartMs = 0;

  constructor(client: Client, namespace: string, clock: Clock) {
    this.#client = client;
    this.#namespace = namespace;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() - this.#ahead();
  }

  /** What is wrong, and what to do. */
  get remarks(): readonly string[] {
    const aheadMs = this.#ahead();
    if (aheadMs === 0) return [];
    const minutes = Math.round(Math.abs(aheadMs) / 60_000);
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    return [
      `the clock of this machine is ${minutes} minutes ${direction} that of the API server, by which certificates are judged; set it right`,
    ];
  }

  /** Asks the API server for the time. Where it refuses to tell, this machine's is all there is. */
  async compare(): Promise<void> {
    const metadata = { generateName: 'time-', namespace: this.#namespace };
    const asked = this.#clock.monotonic();
    // Nothing is stored, and the answer is stamped.
    const answer = await this.#client.create(Secret, { metadata }, { dryRun: true }).catch((error: unknown) => {
      if (isTransportError(error)) throw error;
      return undefined;
    });
    const stamp = answer?.metadata.creationTimestamp;
    if (stamp === undefined || stamp === null) return;
    const aheadMs = this.#clock.now() - (this.#clock.monotonic() - asked) / 2 - Date.parse(stamp);
    this.#aheadMs = Math.abs(aheadMs) > toleranceMs ? aheadMs : 0;
    this.#apartMs = this.#apart();
  }

  /** How far this machine's clock is ahead, unless it was stepped since. */
  #ahead(): number {
    if (this.#aheadMs !== 0 && Math.abs(this.#apart() - this.#apartMs) > toleranceMs) this.#aheadMs = 0;
    return this.#aheadMs;
  }

  #apart(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
