/**
 * An open watch: its events one by one, in the order of their arrival.
 *
 * Waiting for an event has a deadline. That something does not cause an event is shown by what comes next, never by
 * silence.
 */
import { systemClock } from '@keelson/core/system';
import type { Answer, Body, Disagreement } from './exchange.ts';
import { shorten } from './exchange.ts';
import { differences } from './match.ts';

const eventDeadlineMs = 180_000;

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

export class Watch implements AsyncDisposable {
  /** Status and headers with which the watch was opened. */
  readonly opened: Answer;
  readonly #lines: string[] = [];
  readonly #seen: string[] = [];
  readonly #controller: AbortController;
  readonly #finished: Promise<void>;
  #ended = false;
  #wake: () => void = () => {};

  constructor(opened: Answer, stream: AsyncIterable<Uint8Array>, controller: AbortController) {
    this.opened = opened;
    this.#controller = controller;
    this.#finished = this.#read(stream);
  }

  /**
   * The next event, which must be like `expected`. A server may send bookmarks at any time to a watch that allows
   * them: those that nobody asked for are passed over.
   */
  async next(expected: { readonly type?: string; readonly object?: unknown } = {}): Promise<WatchEvent> {
    const event = await this.#take(expected.type === 'BOOKMARK');
    if (!event) throw this.#disagreement(`the watch ended, expected ${JSON.stringify(expected)}`);
    const lines = differences(event, expected);
    if (lines.length > 0) throw this.#disagreement(lines.join('\n'));
    return event;
  }

  /** The server closes the watch without another event. */
  async end(): Promise<void> {
    const event = await this.#take(false);
    if (event) throw this.#disagreement(`expected the end of the watch, got ${JSON.stringify(event)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#finished;
  }

  async #take(wantsBookmark: boolean): Promise<WatchEvent | undefined> {
    for (;;) {
      await this.#until(() => this.#lines.length > 0 || this.#ended, 'another event or the end');
      const line = this.#lines.shift();
      if (line === undefined) return undefined;
      this.#seen.push(line);
      const event = JSON.parse(line) as WatchEvent;
      if (event.type !== 'BOOKMARK' || wantsBookmark || 'annotations' in event.object.metadata) return event;
    }
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of stream) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line) this.#lines.push(line);
        this.#wake();
      }
    } catch (error) {
      if (!this.#controller.signal.aborted) this.#seen.push(`(broken: ${error})`);
    }
    this.#ended = true;
    this.#wake();
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    let expired = false;
    using _ = systemClock.setTimer(eventDeadlineMs, () => {
      expired = true;
      this.#wake();
    });
    while (!isSo()) {
      if (expired) throw this.#disagreement(`${what} did not come within ${eventDeadlineMs / 1000} s`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #disagreement(message: string): Disagreement {
    return this.opened.disagreement(`${message}\nevents until then:\n${this.#seen.map(shorten).join('\n')}`);
  }
}
