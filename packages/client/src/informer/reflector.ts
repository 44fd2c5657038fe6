/**
 * Reflector: keeps a copy of what the server has, by listing once and watching ever after.
 *
 * Promises: what it hands to its sink is the server's history without gaps, either event by event or, where history is
 * lost, as a complete list to compare with. It never gives up before it is stopped, and opens nothing after that.
 *
 * The list comes as a stream (`sendInitialEvents`) where the server can do that, and in pages otherwise. A watch that ends
 * or breaks is resumed from the last resourceVersion that was seen. A new list is made only when the server has forgotten
 * that resourceVersion (410), does not know it yet (a restored backup), or refuses to go on from it. The server is asked
 * to end each watch after 5 to 10 minutes; one that outlives that, or says nothing for three minutes although bookmarks
 * come every minute, is taken for dead and replaced.
 */
import {
  type Clock,
  isApiError,
  isForbidden,
  isGone,
  isTooLargeResourceVersion,
  type Kind,
  keyOf,
  type ObjectOf,
  type Random,
  resourceNameOf,
  sleep,
  TransportError,
  type WatchEvent,
} from '@keelson/core';
import type { Client, Selection } from '../client/client.ts';
import { Backoff } from './backoff.ts';

export interface ReflectorSink<T> {
  /** A complete list; it takes the place of everything before. */
  replace(objects: readonly T[], resourceVersion: string): void;
  change(event: Extract<WatchEvent, { readonly object: unknown }>['type'], object: T): void;
  /** Nothing else happened up to here. */
  advance(resourceVersion: string): void;
  /** Something went wrong. The reflector goes on. */
  fail(error: Error): void;
}

export interface ReflectorOptions<K extends Kind> {
  readonly client: Client;
  readonly kind: K;
  readonly selection: Selection;
  readonly pageSize: number;
  readonly sink: ReflectorSink<ObjectOf<K>>;
  readonly clock: Clock;
  readonly random: Random;
}

export type ReflectorPhase = 'stopped' | 'listing' | 'watching' | 'waiting';

/** The rule that is missing, when the server forbids a list or watch. */
export interface MissingRule {
  readonly verb: 'list' | 'watch';
  readonly group: string;
  readonly resource: string;
  /** Absent: in all namespaces, by a ClusterRole. */
  readonly namespace: string | undefined;
}

const backoffOptions = { baseMs: 800, maxMs: 30_000, resetAfterMs: 120_000 };
const minWatchSeconds = 300;
/** How much longer than agreed a watch may live before we end it. */
const graceMs = 30_000;
const silenceMs = 180_000;
/** A watch that ends at once and without an event is a failure, or a broken server would be asked in a tight loop. */
const shortWatchMs = 1000;
const maxRefusals = 3;

export class Reflector<K extends Kind> {
  readonly #options: ReflectorOptions<K>;
  readonly #backoff: Backoff;
  /** Where the next watch goes on; `undefined` means that a list is needed. */
  #resourceVersion: string | undefined;
  #canStreamLists = true;
  /** Failure answers since the last event. */
  #refusals = 0;
  #phase: ReflectorPhase = 'stopped';
  #lastError: Error | undefined;
  #forbidden: MissingRule | undefined;
  #lastEventAt: number | undefined;

  constructor(options: ReflectorOptions<K>) {
    this.#options = options;
    this.#backoff = new Backoff(backoffOptions, options.clock, options.random);
  }

  get phase(): ReflectorPhase {
    return this.#phase;
  }

  /** Why the last attempt failed; absent again as soon as one succeeds. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  get forbidden(): MissingRule | undefined {
    return this.#forbidden;
  }

  /** Wall time at which the server last sent anything. */
  get lastEventAt(): number | undefined {
    return this.#lastEventAt;
  }

  /** Lists and watches until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined && !this.#canStreamLists) await this.#listPages(signal);
        if (signal.aborted) break;
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#note(error instanceof Error ? error : new Error(String(error)));
        this.#phase = 'waiting';
        await sleep(this.#options.clock, this.#backoff.next(), signal).catch(() => {});
      }
    }
    this.#phase = 'stopped';
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const { client, kind, selection, pageSize, sink } = this.#options;
    this.#phase = 'listing';
    const objects: ObjectOf<K>[] = [];
    let resourceVersion = '';
    try {
      for await (const page of client.pages(kind, { ...selection, pageSize, signal })) {
        this.#alive();
        for (const object of page.items) objects.push(object);
        resourceVersion = page.resourceVersion;
      }
    } catch (error) {
      // Pages of a state that is compacted away while we read them: one answer with everything is always consistent.
      if (!isGone(error) || objects.length === 0) throw this.#whenForbidden(error, 'list');
      const list = await client.list(kind, { ...selection, pageSize: 0, signal });
      this.#replace(list.items, list.resourceVersion, sink);
      return;
    }
    this.#replace(objects, resourceVersion, sink);
  }

  /** One watch, from its request to its end. Returns when it ended as agreed. */
  async #watch(stop: AbortSignal): Promise<void> {
    const { client, kind, selection, clock, random } = this.#options;
    const resourceVersion = this.#resourceVersion;
    const isListing = resourceVersion === undefined;
    this.#phase = isListing ? 'listing' : 'watching';
    const serverTimeoutSeconds = Math.round(minWatchSeconds * (1 + random.next()));
    using watchdog = new Watchdog(clock, stop, this.#action('watch'), serverTimeoutSeconds * 1000 + graceMs);
    const openedAt = clock.monotonic();
    const initial = new Map<string, ObjectOf<K>>();
    let isInitial = isListing;
    let events = 0;
    try {
      const stream = client.watch(kind, {
        ...selection,
        resourceVersion,
        sendInitialEvents: isListing,
        serverTimeoutSeconds,
        signal: watchdog.signal,
        onOpen: () => this.#alive(),
        onUnreadable: (error) => this.#options.sink.fail(error),
      });
      for await (const event of stream) {
        if (stop.aborted) return;
        watchdog.feed();
        this.#alive();
        this.#refusals = 0;
        events += 1;
        if (!isInitial) this.#pass(event);
        else if (this.#collect(event, initial)) {
          isInitial = false;
          initial.clear();
        }
      }
    } catch (error) {
      if (stop.aborted) return;
      if (isInitial && isRefusedStreaming(error)) {
        this.#canStreamLists = false;
        return;
      }
      // A server that does not know the parameter sends what it has, but never the bookmark that ends it.
      if (isInitial && watchdog.hasBitten) this.#canStreamLists = false;
      if (this.#isHistoryLost(error) || (watchdog.hasBitten && events === 0)) this.#resourceVersion = undefined;
      throw this.#whenForbidden(error, 'watch');
    }
    if (isInitial) {
      this.#canStreamLists = false;
      throw new TransportError(this.#action('watch'), 'the stream ended before the list was complete');
    }
    if (events === 0 && clock.monotonic() - openedAt < shortWatchMs) {
      throw new TransportError(this.#action('watch'), 'the server ended it at once and without an event');
    }
  }

  /** Takes one event of a streamed list; whether it was the last. */
  #collect(event: WatchEvent<ObjectOf<K>>, objects: Map<string, ObjectOf<K>>): boolean {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        objects.set(keyOf(event.object), event.object);
        return false;
      case 'DELETED':
        objects.delete(keyOf(event.object));
        return false;
      case 'BOOKMARK':
        if (!event.initialEventsEnd) return false;
        this.#replace([...objects.values()], event.resourceVersion, this.#options.sink);
        this.#phase = 'watching';
        return true;
      default:
        return event satisfies never;
    }
  }

  #pass(event: WatchEvent<ObjectOf<K>>): void {
    const { sink } = this.#options;
    const resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    this.#resourceVersion = resourceVersion;
    if (event.type === 'BOOKMARK') sink.advance(resourceVersion);
    else sink.change(event.type, event.object);
  }

  #replace(objects: readonly ObjectOf<K>[], resourceVersion: string, sink: ReflectorSink<ObjectOf<K>>): void {
    this.#resourceVersion = resourceVersion;
    sink.replace(objects, resourceVersion);
  }

  /** Something came from the server, so whatever went wrong before is over. */
  #alive(): void {
    this.#lastEventAt = this.#options.clock.now();
    this.#lastError = undefined;
    this.#forbidden = undefined;
  }

  #note(error: Error): void {
    this.#lastError = error;
    this.#options.sink.fail(error);
  }

  /** Whether only a new list can tell what happened since: the server says so, or refuses to go on time and again. */
  #isHistoryLost(error: unknown): boolean {
    if (isApiError(error)) this.#refusals += 1;
    return isGone(error) || isTooLargeResourceVersion(error) || this.#refusals >= maxRefusals;
  }

  #whenForbidden(error: unknown, verb: 'list' | 'watch'): unknown {
    const { kind, selection } = this.#options;
    if (isForbidden(error)) {
      this.#forbidden = { verb, group: kind.group, resource: kind.resource, namespace: selection.namespace };
    }
    return error;
  }

  #action(verb: string): string {
    const { kind, selection } = this.#options;
    return `${verb} ${resourceNameOf(kind)}${selection.namespace === undefined ? '' : ` in ${selection.namespace}`}`;
  }
}

/** Servers before 1.34 may have streaming lists switched off and then refuse the parameter as invalid. */
function isRefusedStreaming(error: unknown): boolean {
  return isApiError(error) && [400, 405, 406, 422].includes(error.status.code ?? 0);
}

/** Ends a watch that lives too long or falls silent. */
class Watchdog implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #action: string;
  readonly #endsAt: number;
  #fedAt: number;
  #timer: Disposable | undefined;

  constructor(clock: Clock, stop: AbortSignal, action: string, lifeMs: number) {
    this.#clock = clock;
    this.#stop = stop;
    this.#action = action;
    this.#fedAt = clock.monotonic();
    this.#endsAt = this.#fedAt + lifeMs;
    stop.addEventListener('abort', this.#onStop, { once: true });
    if (stop.aborted) this.#onStop();
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasBitten(): boolean {
    return this.signal.aborted && !this.#stop.aborted;
  }

  feed(): void {
    this.#fedAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#stop.removeEventListener('abort', this.#onStop);
  }

  readonly #onStop = () => this.#controller.abort(this.#stop.reason);

  /** The timer is not moved by every event; when it rings it looks whether it rang too early. */
  #arm(): void {
    const now = this.#clock.monotonic();
    const bites = Math.min(this.#endsAt, this.#fedAt + silenceMs);
    if (now < bites) {
      this.#timer = this.#clock.setTimer(bites - now, () => this.#arm());
      return;
    }
    const why = now >= this.#endsAt ? 'it did not end when it was agreed to' : `nothing came for ${silenceMs / 1000} s`;
    this.#controller.abort(new TransportError(this.#action, `${why}; it is replaced`));
  }
}
