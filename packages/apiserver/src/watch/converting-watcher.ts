/**
 * A watch whose objects a webhook converts: events wait in a row until theirs have been.
 *
 * A conversion that fails ends the watch, whose last event says why.
 */
import { errorEvent } from '../encode/representation.ts';
import { type ApiObject, withMetadata } from '../object.ts';
import { internalError, StatusError } from '../status.ts';
import type { Change, Revision } from '../store/revision.ts';
import type { WatchEvent } from './watch-event.ts';
import { Watcher } from './watcher.ts';

export interface Waiting {
  readonly ahead: (objects: readonly ApiObject[]) => Promise<void>;
  /** What has been shown is not needed again. */
  readonly forget: () => void;
}

export class ConvertingWatcher extends Watcher {
  readonly #waiting: Waiting;
  #row: Promise<void> = Promise.resolve();

  constructor(options: ConstructorParameters<typeof Watcher>[0], waiting: Waiting) {
    super(options);
    this.#waiting = waiting;
  }

  override prepare(revisions: readonly Revision[]): void {
    this.#later(() => this.#waiting.ahead(revisions.map(({ object }) => object)));
  }

  override initial(revision: Revision): void {
    this.#later(async () => {
      await this.#waiting.ahead([revision.object]);
      super.initial(revision);
    });
  }

  override deliver(change: Change, event: WatchEvent): void {
    const { revision, previous } = change;
    this.#later(async () => {
      await this.#waiting.ahead([revision.object]);
      if (previous !== undefined && !this.selection.isEverything) {
        // Which of them is shown depends on whether the object was selected before.
        const { resourceVersion } = revision.object.metadata;
        await this.#waiting.ahead([previous.object, withMetadata(previous.object, { resourceVersion })]);
      }
      super.deliver(change, event);
      this.#waiting.forget();
    });
  }

  override bookmark(revision: number, isInitialEnd: boolean): void {
    this.#later(async () => super.bookmark(revision, isInitialEnd));
  }

  #later(step: () => Promise<void>): void {
    this.#row = this.#row.then(async () => {
      if (this.closed) return;
      try {
        await step();
      } catch (error) {
        const refusal = error instanceof StatusError ? error : internalError(String(error));
        this.close(errorEvent(refusal.status));
      }
    });
  }
}
