/**
 * Hands on the bytes of a stream in pieces: what is there to be read, then nothing for a while, and so on.
 *
 * Promises: what comes after a rest without anything is handed on at once; nothing waits longer than a rest, unless more
 * comes than can be read; all that came is handed on before the end. Of a stream that brings something all the time, the
 * process is woken once for each piece, in place of once for each record. A stream that brings much is read without rest.
 */
import type { Clock, Timer } from '@keelson/core';
import { nextTurn } from '@keelson/core/system';

export interface GatheringOptions {
  /**
   * Once a piece was handed on, nothing is read until the next multiple of this time, or the one after if that is less than
   * a quarter of it away; asked each time. With 0, what comes is handed on as it comes.
   */
  readonly gatherMs: () => number;
  readonly clock: Clock;
  /** Gets each piece. */
  readonly onPiece: (piece: Uint8Array) => void;
  /** Nothing more shall be read, or something again. */
  readonly onRest: (isResting: boolean) => void;
}

/** What is read in one turn of the event loop is bounded by libuv. After so much, there may be more. */
const muchBytes = 128 * 1024;
/** A rest that ends sooner than that part of the time from now would hardly gather, and timers may ring a bit too early. */
const shortestRest = 1 / 4;

export class Gathering {
  readonly #options: GatheringOptions;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #state: 'idle' | 'reading' | 'resting' | 'over' = 'idle';
  #timer: Timer | undefined;

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.#state !== 'idle') {
      this.#keep(chunk);
      return;
    }
    const everyMs = this.#options.gatherMs();
    if (everyMs > 0) {
      this.#keep(chunk);
      this.#read(everyMs);
    } else this.#options.onPiece(chunk);
  }

  /** Nothing more comes: hands on what has not been. */
  end(): void {
    this.#state = 'over';
    this.#timer?.[Symbol.dispose]();
    this.#handOn();
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** What is there to be read comes before the next turn of the event loop, record by record. */
  #read(everyMs: number): void {
    this.#state = 'reading';
    void nextTurn().then(() => {
      if (this.#state !== 'reading') return;
      if (this.#bytes < muchBytes) this.#rest(everyMs);
      else {
        this.#handOn();
        this.#read(everyMs);
      }
    });
  }

  #rest(everyMs: number): void {
    const { clock, onRest } = this.#options;
    this.#state = 'resting';
    // Streams that rest for the same time do so until the same moments, and the process is woken once for all of them.
    const leftMs = everyMs - (clock.monotonic() % everyMs);
    const restMs = leftMs < everyMs * shortestRest ? leftMs + everyMs : leftMs;
    this.#timer = clock.setTimer(restMs, () => this.#goOn(everyMs));
    onRest(true);
    this.#handOn();
  }

  #goOn(everyMs: number): void {
    this.#state = 'idle';
    this.#options.onRest(false);
    if (this.#chunks.length > 0) this.#read(everyMs); // it was received before the rest, and decrypted after it began
  }

  #handOn(): void {
    const chunks = this.#chunks.splice(0);
    this.#bytes = 0;
    const [only] = chunks;
    if (only) this.#options.onPiece(chunks.length === 1 ? only : Buffer.concat(chunks));
  }
}
