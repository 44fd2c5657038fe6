/**
 * Reflector: keeps a copy of what the server has, by listing once and watching ever after.
 *
 * Promises: what it hands to its sink is the server's history without gaps, either event by event or, where history is
 * lost, as a complete list to compare with. It never gives up before it is stopped, and opens nothing after that.
 *
 * The list comes as a stream (`sendInitialEvents`) where the server can do that. In pages it comes after a streamed one
 * that failed in any way, and from then on if the server refuses to stream, or begins to and does not finish three times
 * in a row.
 *
 * A watch that ends or breaks is resumed from the last resourceVersion that was seen. A new list is made only when the
 * server has forgotten that resourceVersion (410), has never known it (a restored backup), or refuses to go on from it,
 * and when a watch ends in which a line could not be read: what that was is unknown, so the history has a gap.
 *
 * Whatever a server does, it is asked at a pace: failures back off, and so does a watch that ends within ten seconds and
 * brought no object; one that brought some is resumed at once, but ten times in a row at most, then once a second.
 *
 * The server is asked to end each watch after 5 to 10 minutes, and one that outlives that is ended from here. A watch
 * that says nothing for three minutes is replaced too. That may be a dead connection; or a kind that has not been touched
 * since the server started, which alone keeps it from sending a bookmark every minute; or a server that was restored from
 * a backup, which accepts resourceVersions from its lost future and then never says a word. So its state is asked for
 * before the watch goes on.
 */
import {
  type Clock,
  compareResourceVersions,
  isApiError,
  isForbidden,
  isGone,
  type Kind,
  keyOf,
  type NamespacedName,
  type ObjectOf,
  type Random,
  resourceNameOf,
  sleep,
  TransportError,
  type WatchEvent,
} from '@keelson/core';
import type { Client, Selection } from '../client/client.ts';
import { TokenBucket } from '../limits/token-bucket.ts';
import { ExpiredHistory } from './expired-history.ts';
import { WatchBackoff } from './watch-backoff.ts';
import { Watchdog } from './watchdog.ts';

interface ReflectorSink<T> {
  /** The stored form of an object that just came, so that a long list is never held in any other; or nothing. */
  prepare(object: T): T | undefined;
  /** A complete list of prepared objects; it takes the place of everything before. */
  replace(objects: ReadonlyMap<NamespacedName, T>, resourceVersion: string): void;
  /** One change, with the object as it came. */
  change(event: Extract<WatchEvent, { readonly object: unknown }>['type'], object: T): void;
  /** Nothing else happened up to here. */
  advance(resourceVersion: string): void;
  /** An attempt failed. The reflector makes another, after a while. */
  fail(error: Error): void;
  /** Something went wrong in an attempt that goes on; there may be thousands of these in a second. */
  complain(error: Error): void;
}

export interface ReflectorOptions<K extends Kind> {
  readonly client: Client;
  readonly kind: K;
  readonly selection: Selection;
  readonly pageSize: number;
  /** Which managedFields the sink has a use for; watches need not read the others. */
  readonly managedFields: 'keep' | 'drop' | { readonly manager: string };
  /** How long a watch may be left unread once something came, so that what follows is read in one go. */
  readonly gatherMs: number;
  readonly sink: ReflectorSink<ObjectOf<K>>;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a watch does now; `waiting` is the pause after a failure. */
export type ReflectorPhase = 'stopped' | 'listing' | 'watching' | 'waiting';

/** What a watch has done since it began. */
export interface ReflectorCounts {
  /** Complete lists that were delivered. */
  readonly lists: number;
  /** Watches that were begun. */
  readonly watches: number;
  /** Watches that said nothing for three minutes and were replaced. */
  readonly silences: number;
}

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
/** The server sends a bookmark every minute. */
const silenceMs = 180_000;
/** A list with everything in one answer may take as long as the server works on any request. */
const wholeListMs = 60_000;
/** A watch that ends so early and brought no object is a failure; balancers that end idle ones take longer. */
const shortWatchMs = 10_000;
/** Watches that may follow each other at once, and how many a second after that. */
const watchPace = { qps: 1, burst: 10 };
/** So many lines in a row that are no events, and whoever sends them does not speak our language. */
const maxUnreadableLines = 100;
/** More objects than any server has of a kind. */
const maxObjects = 5_000_000;
const maxUnfinishedStreams = 3;

export class Reflector<K extends Kind> {
  readonly #options: ReflectorOptions<K>;
  readonly #backoff: WatchBackoff;
  readonly #pace: TokenBucket;
  /** Where the next watch goes on; `undefined` means that a list is needed. */
  #resourceVersion: string | undefined;
  /** The next list, whatever becomes of it, comes in pages. */
  #listsInPages = false;
  /** Streamed lists that began and did not finish, since one did. */
  #unfinishedStreams = 0;
  /** A line of the last watch could not be read, and others after it could. */
  #hasGap = false;
  /** The last watch said nothing for so long that the server may have lost what we know. */
  #isDoubtful = false;
  readonly #history = new ExpiredHistory();
  #phase: ReflectorPhase = 'stopped';
  #lastError: Error | undefined;
  #forbidden: MissingRule | undefined;
  #lastEventAt: number | undefined;
  readonly #counts = { lists: 0, watches: 0, silences: 0 };

  constructor(options: ReflectorOptions<K>) {
    this.#options = options;
    this.#backoff = new WatchBackoff(backoffOptions, options.clock, options.random);
    this.#pace = new TokenBucket(watchPace, options.clock);
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

  /** What was done so far. */
  get counts(): Readonly<ReflectorCounts> {
    return { ...this.#counts };
  }

  /** Lists and watches until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#hasGap) this.#resourceVersion = undefined;
        if (this.#isDoubtful) await this.#compareStates(signal);
        if (this.#resourceVersion === undefined && this.#mustPage) await this.#listPages(signal);
        if (signal.aborted) break;
        const waitMs = this.#pace.reserve();
        if (waitMs > 0) await sleep(this.#options.clock, waitMs, signal);
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

  get #mustPage(): boolean {
    return this.#listsInPages || this.#unfinishedStreams >= maxUnfinishedStreams;
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const { client, kind, selection, pageSize } = this.#options;
    this.#phase = 'listing';
    this.#listsInPages = false;
    const objects = new Map<NamespacedName, ObjectOf<K>>();
    let resourceVersion = '';
    try {
      for await (const page of client.pages(kind, { ...selection, pageSize, signal })) {
        this.#alive();
        for (const object of page.items) this.#keep(object, objects);
        resourceVersion = page.resourceVersion;
      }
    } catch (error) {
      // Pages of a state that is compacted away while we read them: one answer with everything is always consistent.
      if (!isGone(error) || objects.size === 0) throw this.#whenForbidden(error, 'list');
      const list = await client.list(kind, { ...selection, pageSize: 0, timeoutMs: wholeListMs, signal });
      objects.clear();
      for (const object of list.items) this.#keep(object, objects);
      resourceVersion = list.resourceVersion;
    }
    this.#replace(objects, resourceVersion);
  }

  /** One watch, from its request to its end. Returns when it ended as agreed. */
  async #watch(stop: AbortSignal): Promise<void> {
    const { client, kind, selection, gatherMs, clock, random } = this.#options;
    const resourceVersion = this.#resourceVersion;
    const isListing = resourceVersion === undefined;
    this.#phase = isListing ? 'listing' : 'watching';
    this.#counts.watches += 1;
    const serverTimeoutSeconds = Math.round(minWatchSeconds * (1 + random.next()));
    using watchdog = new Watchdog(clock, stop, this.#action('watch'), {
      silenceMs,
      lifeMs: serverTimeoutSeconds * 1000 + graceMs,
    });
    const openedAt = clock.monotonic();
    const initial = new Map<NamespacedName, ObjectOf<K>>();
    let isInitial = isListing;
    let isOpen = false;
    let hasUnread = false;
    let unreadInRow = 0;
    let babble: TransportError | undefined;
    let objects = 0;
    try {
      const stream = client.watch(kind, {
        ...selection,
        resourceVersion,
        sendInitialEvents: isListing,
        serverTimeoutSeconds,
        managedFields: this.#options.managedFields,
        ...(gatherMs > 0 && { gatherMs: () => (isInitial ? 0 : gatherMs) }), // a list is waited for
        signal: watchdog.signal,
        onOpen: () => {
          isOpen = true;
          this.#alive();
        },
        onUnreadable: (error) => {
          hasUnread = true;
          unreadInRow += 1;
          this.#options.sink.complain(error);
          if (unreadInRow < maxUnreadableLines) return;
          babble = new TransportError(this.#action('watch'), `${unreadInRow} lines in a row are no events`);
          throw babble;
        },
      });
      for await (const event of stream) {
        if (stop.aborted) return;
        // A server that does not know the parameter sends what it has, then bookmarks, but never the one that ends it.
        if (!isInitial || event.type !== 'BOOKMARK') watchdog.feed();
        this.#alive();
        this.#history.goesOn();
        unreadInRow = 0;
        if (event.type !== 'BOOKMARK') objects += 1;
        if (!isInitial) {
          if (hasUnread) this.#hasGap = true;
          this.#pass(event);
        } else if (this.#collect(event, initial, hasUnread)) {
          isInitial = false;
          initial.clear();
        }
      }
      if (isInitial) throw new TransportError(this.#action('watch'), 'the stream ended before the list was complete');
    } catch (thrown) {
      if (stop.aborted) return;
      const error = babble ?? thrown;
      if (isInitial) {
        this.#listsInPages = true;
        if (isOpen) this.#unfinishedStreams += 1;
        if (isRefusedStreaming(error)) {
          this.#unfinishedStreams = maxUnfinishedStreams;
          return;
        }
      }
      if (watchdog.firedFor === 'silence') {
        this.#counts.silences += 1;
        this.#isDoubtful = !isInitial;
        return;
      }
      if (this.#history.isLost(error)) this.#resourceVersion = undefined;
      throw this.#whenForbidden(error, 'watch');
    }
    if (objects === 0 && clock.monotonic() - openedAt < shortWatchMs) {
      throw new TransportError(this.#action('watch'), 'the server ended it early and without an object');
    }
  }

  /** A list of one object tells how far the server is: if that is behind us, what we know never happened there. */
  async #compareStates(signal: AbortSignal): Promise<void> {
    const { client, kind, selection } = this.#options;
    const known = this.#resourceVersion;
    try {
      for await (const page of client.pages(kind, { ...selection, pageSize: 1, signal })) {
        this.#alive();
        if (known !== undefined && compareResourceVersions(page.resourceVersion, known) < 0) {
          this.#resourceVersion = undefined;
          this.#note(
            new TransportError(this.#action('watch'), 'the server went back in time; was it restored from a backup?'),
          );
        }
        break;
      }
    } catch (error) {
      if (!isForbidden(error)) throw error; // some may watch and not list
    }
    this.#isDoubtful = false;
  }

  /** Takes one event of a streamed list; whether it was the last. */
  #collect(event: WatchEvent<ObjectOf<K>>, objects: Map<NamespacedName, ObjectOf<K>>, hasUnread: boolean): boolean {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#keep(event.object, objects);
        return false;
      case 'DELETED':
        objects.delete(keyOf(event.object));
        return false;
      case 'BOOKMARK':
        if (!event.initialEventsEnd) return false;
        // What could not be read would be taken for deleted.
        if (hasUnread) throw new TransportError(this.#action('watch'), 'the list has lines that cannot be read');
        this.#unfinishedStreams = 0;
        this.#replace(objects, event.resourceVersion);
        this.#phase = 'watching';
        return true;
      default:
        return event satisfies never;
    }
  }

  #pass(event: WatchEvent<ObjectOf<K>>): void {
    const { sink } = this.#options;
    const resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    // From 0 a watch begins anywhere, and never tells what went before: a new list does.
    this.#resourceVersion = resourceVersion === '0' ? undefined : resourceVersion;
    if (event.type === 'BOOKMARK') sink.advance(resourceVersion);
    else sink.change(event.type, event.object);
  }

  #keep(object: ObjectOf<K>, objects: Map<NamespacedName, ObjectOf<K>>): void {
    const prepared = this.#options.sink.prepare(object);
    if (prepared) objects.set(keyOf(prepared), prepared);
    if (objects.size > maxObjects) {
      throw new TransportError(this.#action('list'), `it has more than ${maxObjects} objects; select fewer`);
    }
  }

  #replace(objects: ReadonlyMap<NamespacedName, ObjectOf<K>>, resourceVersion: string): void {
    this.#counts.lists += 1;
    this.#hasGap = false;
    this.#resourceVersion = resourceVersion;
    this.#options.sink.replace(objects, resourceVersion);
  }

  /** Something came from the server, so whatever went wrong before is over. */
  #alive(): void {
    this.#lastEventAt = this.#options.clock.now();
    this.#lastError = undefined;
    this.#forbidden = undefined;
  }

  #note(error: Error): void {
    this.#lastError = error;
    if (!isForbidden(error)) this.#forbidden = undefined;
    this.#options.sink.fail(error);
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
