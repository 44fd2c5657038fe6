/** What comes from a caller over a WebSocket, and how much of it, and of what goes to it, is kept. */
import type { MessageSocket } from './exchange.ts';

/** So much is kept of what nobody here has read yet, and one message more. */
export const maxUnreadBytes = 2 ** 20;
/** So much is kept of what the caller has not taken yet, and one message more. */
export const maxUntakenBytes = 2 ** 24;

type Source = Pick<MessageSocket, 'pause' | 'resume'>;

/** Several streams of one caller: it is heard again when none of them is full. */
export function sharing(source: Source): () => Source {
  const full = new Set<object>();
  return () => {
    const own: Source = {
      pause() {
        full.add(own);
        source.pause();
      },
      resume() {
        full.delete(own);
        if (full.size === 0) source.resume();
      },
    };
    return own;
  };
}

/** What has come and was not taken yet. Only one takes. */
export class Incoming implements AsyncIterable<Uint8Array> {
  readonly #source: Source;
  readonly #chunks: Uint8Array[] = [];
  #unreadBytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > maxUnreadBytes) this.#source.pause();
    this.#wake?.();
  }

  /** Nothing more will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nothing is held back any more: what else is said, such as farewell, must be heard. */
  end(): void {
    this.#isOver = true;
    this.#source.resume();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#unreadBytes -= chunk.length;
        if (this.#unreadBytes <= maxUnreadBytes) this.#source.resume();
        yield chunk;
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
