/** GET of a collection as a stream: what there is, if wanted, and then every change until the client leaves or the time is up. */
import type { Timer } from '@keelson/core';
import { type ListOptions, parseResourceVersion } from '../decode/options.ts';
import { errorEvent, type Representation } from '../encode/representation.ts';
import { type ApiResponse, jsonType, type Sink } from '../request/exchange.ts';
import { apiVersionOf } from '../resource/resource.ts';
import { type StatusError, tooLargeResourceVersion } from '../status.ts';
import { compacted, withPrefix } from '../store/collection.ts';
import { ConvertingWatcher } from '../watch/converting-watcher.ts';
import { type Selection, selectionOf } from '../watch/selection.ts';
import { WatchEvent } from '../watch/watch-event.ts';
import { Watcher } from '../watch/watcher.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import { expiredWatch } from './expired.ts';
import { representing } from './respond.ts';

const bookmarkPeriodMs = 60_000;
const lastBookmarkMs = 2000;

/** Watches that name no end last between half an hour and an hour, so that they do not all end at once. */
const minLifetimeMs = 1_800_000;
const patienceMs = 3000;

export function watch(context: Context, call: Call, options: ListOptions): ApiResponse {
  const { resource, namespace } = call;
  const represent = representing(context, call, false);
  const selection = selectionOf(resource, namespace, options.labels, options.fields);
  const since = parseResourceVersion(options.resourceVersion);
  return {
    status: 200,
    headers: { 'content-type': jsonType, 'cache-control': 'no-cache, private' },
    body: (sink) => new OpenWatch(context, call, options, { represent, selection, since, sink }),
  };
}

interface Stream {
  readonly represent: Representation;
  readonly selection: Selection;
  readonly since: number;
  readonly sink: Sink;
}

/** A watch from its first event to its end, with its timers. */
class OpenWatch implements Disposable {
  readonly #context: Context;
  readonly #collection: string;
  readonly #watcher: Watcher;
  readonly #endsAt: number;
  #lifetime: Timer | undefined;
  #bookmarks: Timer | undefined;

  constructor(
    context: Context,
    { resource }: Call,
    options: ListOptions,
    { represent, selection, since, sink }: Stream,
  ) {
    this.#context = context;
    this.#collection = resource.collection;
    const { clock, random, store } = context;
    const wantsInitial = options.sendInitialEvents === true;
    const stream = {
      selection,
      sink,
      represent,
      bookmark: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} },
      since: wantsInitial ? 0 : since === 0 ? store.revision : since,
      onClose: () => this.#release(),
    };
    const { ahead, forget } = resource.strategy;
    this.#watcher = ahead && forget ? new ConvertingWatcher(stream, { ahead, forget }) : new Watcher(stream);
    const lifetimeMs =
      options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
        ? options.timeoutSeconds * 1000
        : minLifetimeMs * (1 + random.next());
    this.#endsAt = clock.monotonic() + lifetimeMs;
    this.#lifetime = clock.setTimer(lifetimeMs, () => this.#watcher.close());
    this.#lifetime.unref();
    if (wantsInitial && since > store.revision) {
      // A state that we have not reached: it is waited for, and then shown.
      void store.reached(since, clock, patienceMs).then((reached) => {
        if (this.#watcher.closed) return;
        if (!reached) this.#fail(tooLargeResourceVersion(since, store.revision));
        else this.#begin(options, wantsInitial, since);
      });
    } else this.#begin(options, wantsInitial, since);
  }

  #begin(options: ListOptions, wantsInitial: boolean, since: number): void {
    const { store, fanOut } = this.#context;
    const collection = store.collection(this.#collection);
    const watcher = this.#watcher;
    if (wantsInitial) {
      const { namespace } = watcher.selection;
      const present = withPrefix(collection.list(), namespace === '' ? '' : `${namespace}/`);
      watcher.prepare(present);
      for (const revision of present) {
        if (watcher.closed) return;
        watcher.initial(revision);
      }
      watcher.caughtUp(store.revision);
      if (options.allowBookmarks) watcher.bookmark(store.revision, true);
    } else if (since > 0) {
      const missed = collection.changesAfter(since);
      if (missed === compacted) {
        this.#fail(expiredWatch(since, collection.oldest));
        return;
      }
      for (const change of missed) {
        const { namespace } = change.revision;
        if (watcher.selection.namespace !== '' && namespace !== watcher.selection.namespace) continue;
        watcher.deliver(change, new WatchEvent(change));
      }
    }
    if (watcher.closed) return;
    fanOut.add(this.#collection, watcher);
    if (options.allowBookmarks) this.#scheduleBookmark();
  }

  /** Every minute, and once more shortly before the end, so that the next watch begins where this one ends. */
  #scheduleBookmark(): void {
    const { clock, store } = this.#context;
    const remainingMs = this.#endsAt - clock.monotonic() - lastBookmarkMs;
    if (remainingMs <= 0) return;
    this.#bookmarks = clock.setTimer(Math.min(bookmarkPeriodMs, remainingMs), () => {
      this.#watcher.bookmark(store.revision, false);
      if (!this.#watcher.closed) this.#scheduleBookmark();
    });
    this.#bookmarks.unref();
  }

  #fail({ status }: StatusError): void {
    this.#watcher.close(errorEvent(status));
  }

  #release(): void {
    this.#lifetime?.[Symbol.dispose]();
    this.#bookmarks?.[Symbol.dispose]();
    this.#context.fanOut.remove(this.#collection, this.#watcher);
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
  }
}
