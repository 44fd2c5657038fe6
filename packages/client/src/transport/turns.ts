/** Lets so many in at a time; the others wait in line. */
export class Turns {
  #free: number;
  readonly #line = new Set<() => void>();

  constructor(atATime: number) {
    this.#free = atATime;
  }

  /** Resolves when it is one's turn, which lasts until `end`; rejects, with the signal's reason, if that comes first. */
  async begin(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#line.delete(enter);
        reject(signal?.reason);
      };
      this.#line.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  end(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#line.delete(next);
    next();
  }
}
