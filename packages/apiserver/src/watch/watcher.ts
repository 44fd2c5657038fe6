/**
 * One open watch: what it has been told decides what it is told next.
 *
 * Promises: events come in the order of their revisions; an object that enters the selection is ADDED, one that leaves
 * it is DELETED with its last selected content under the number of the change. A watcher that does not take its events
 * is closed rather than waited for.
 */

import type { Representation } from '../encode/representation.ts';
import type { ApiObject } from '../object.ts';
import type { Sink } from '../request/exchange.ts';
import type { Change, Revision } from '../store/revision.ts';
import type { Selection } from './selection.ts';
import type { WatchEvent } from './watch-event.ts';

/** Bytes that may wait for a reader; real servers count events, and allow between ten and a thousand. */
const maxPendingBytes = 8 * 1024 * 1024;

export class Watcher {
  readonly selection: Selection;
  readonly #sink: Sink;
  readonly #represent: Representation;
  readonly #bookmark: ApiObject;
  /** Only later changes are of interest. */
  #seen: number;
  readonly #onClose: () => void;
  #limit = maxPendingBytes;
  #closed = false;

  constructor(options: {
    readonly selection: Selection;
    readonly sink: Sink;
    readonly represent: Representation;
    /** An object of the kind with nothing in it, which bookmarks carry. */
    readonly bookmark: ApiObject;
    readonly since: number;
    readonly onClose: () => void;
  }) {
    this.selection = options.selection;
    this.#sink = options.sink;
    this.#represent = options.represent;
    this.#bookmark = options.bookmark;
    this.#seen = options.since;
    this.#onClose = options.onClose;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** These will be the initial ones. */
  prepare(_revisions: readonly Revision[]): void {}

  /** An object that was there before the watch began. */
  initial(revision: Revision): void {
    if (!this.selection.matches(revision)) return;
    for (const bytes of this.#represent.event('ADDED', revision)) this.#sink.write(bytes);
  }

  /** The initial objects were those of this state. */
  caughtUp(revision: number): void {
    this.#seen = Math.max(this.#seen, revision);
    // They may be many, and whoever asked for them has not had a chance to take them yet.
    this.#limit = this.#sink.pending + maxPendingBytes;
  }

  deliver(change: Change, event: WatchEvent): void {
    const { revision, previous } = change;
    if (this.#closed || revision.number <= this.#seen) return;
    this.#seen = revision.number;
    const { was, is } = event.transition(this.selection);
    if (is) this.#send(event.line(was ? 'MODIFIED' : 'ADDED', revision, this.#represent));
    else if (was) {
      // What leaves the selection is shown as it last was in it; what is deleted is shown so by the store itself.
      const last = change.type === 'DELETED' || previous === undefined ? revision : event.departed(revision, previous);
      this.#send(event.line('DELETED', last, this.#represent));
    }
  }

  /** Says that everything up to a revision has been told. */
  bookmark(revision: number, isInitialEnd: boolean): void {
    if (this.#closed) return;
    this.#seen = Math.max(this.#seen, revision);
    const object: ApiObject = {
      ...this.#bookmark,
      metadata: {
        resourceVersion: String(revision),
        ...(isInitialEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
      },
    };
    this.#send(...this.#represent.bookmark(object));
  }

  /** Ends the stream, after `last` if there is one. */
  close(last?: Buffer): void {
    if (this.#closed) return;
    this.#closed = true;
    if (last !== undefined) this.#sink.write(last);
    this.#sink.end();
    this.#onClose();
  }

  #send(...line: readonly Buffer[]): void {
    for (const bytes of line) this.#sink.write(bytes);
    if (this.#sink.pending <= this.#limit) return;
    // A client that does not read would not read the end either, and what waits for it is kept until it does.
    this.#sink.abort();
    this.close();
  }
}
