/**
 * Hands on the bytes of a stream in pieces: all that is there to be read, then nothing for a while, and so on.
 *
 * Promises: what comes after a rest without anything is handed on at once; nothing waits longer than a rest; all that
 * came is handed on before the end. Of a stream that brings something all the time, the process is woken once for each
 * piece, in place of once for each record.
 */
import type { Clock, Timer } from '@keelson/core';
import { nextTurn } from '@keelson/core/system';

export interface GatheringOptions {
  /** How long nothing is read once a piece was handed on; asked each time. With 0, what comes is handed on as it comes. */
  readonly gatherMs: () => number;
  readonly clock: Clock;
  /** Gets each piece. */
  readonly onPiece: (piece: Uint8Array) => void;
  /** Nothing more shall be read, or something again. */
  readonly onRest: (isResting: boolean) => void;
}

export class Gathering {
  readonly #options: GatheringOptions;
  #chunks: Uint8Array[] = [];
  #state: 'idle' | 'reading' | 'resting' | 'over' = 'idle';
  #timer: Timer | undefined;

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.#state === 'idle' && !(this.#options.gatherMs() > 0)) {
      this.#options.onPiece(chunk);
      return;
    }
    this.#chunks.push(chunk);
    if (this.#state === 'idle') this.#read();
  }

  /** Nothing more comes: hands on what has not been. */
  end(): void {
    this.#state = 'over';
    this.#timer?.[Symbol.dispose]();
    this.#handOn();
  }

  /** What is there to be read comes before the next turn of the event loop, record by record. */
  #read(): void {
    this.#state = 'reading';
    void nextTurn().then(() => {
      if (this.#state === 'reading') this.#rest();
    });
  }

  #rest(): void {
    const { gatherMs, clock, onRest } = this.#options;
    const everyMs = gatherMs();
    this.#state = 'resting';
    // Streams that rest for the same time do so until the same moments, and the process is woken once for all of them.
    const restMs = everyMs > 0 ? everyMs - (clock.monotonic() % everyMs) : 0;
    this.#timer = clock.setTimer(restMs, () => this.#goOn());
    onRest(true);
    this.#handOn();
  }

  #goOn(): void {
    this.#state = 'idle';
    this.#options.onRest(false);
    if (this.#chunks.length > 0) this.#read(); // it was received before the rest, and decrypted after it began
  }

  #handOn(): void {
    const chunks = this.#chunks.splice(0);
    const [only] = chunks;
    if (only) this.#options.onPiece(chunks.length === 1 ? only : Buffer.concat(chunks));
  }
}
