/**
 * Informer: one kind, kept in sight: a reflector that follows the server, a store that can be read at any time, and
 * handlers that hear of each change.
 *
 * Promises: a handler's history of an object is legal (added, updates, deleted, in this order, none twice); the store
 * already shows a change when handlers hear of it; a handler that throws harms no other.
 */
import {
  type Clock,
  isMetadataOnly,
  type Kind,
  type KubernetesObject,
  keyOf,
  type ObjectOf,
  type Random,
} from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { callObserver } from '../client/call-observer.ts';
import type { Client, Selection } from '../client/client.ts';
import type { OwnWrite } from '../client/own-write.ts';
import type { IndexFunction } from './object-index.ts';
import { type MissingRule, Reflector, type ReflectorCounts, type ReflectorPhase } from './reflector.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { selectionMatch } from './selection-match.ts';
import { type Delivery, isSameState, ObjectStore, type Store } from './store.ts';
import { type StoredForm, storedForm } from './stored-form.ts';

/** Keeps a copy of the objects of a kind in step with the server, and says what changed. */
export interface Informer<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly store: Store<T>;
  /**
   * Settles when the first complete list is in the store and all handlers of that time have seen it. Rejects with the
   * signal's reason when the informer is stopped before.
   */
  readonly synced: Promise<void>;
  readonly health: InformerHealth;
  /**
   * Calls `handler` for each change, in order, and first, before it returns, for each object that is there already.
   * Handlers are synchronous and do no I/O. One that throws is reported to `onError`; the others and the stream go on.
   */
  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Disposable;
  /**
   * Lays what a write did over the store until the watch has caught up: every read, by key, list or index, shows it.
   * Handlers hear of it when the watch brings it. Writes to other kinds, and what the watch has passed, change nothing.
   *
   * @example
   * const bound = client.with({ onWritten: (write) => informer.overlay(write) });
   */
  overlay(write: OwnWrite): void;
}

/**
 * Hears of each change; synchronous, for noting keys. What it throws is reported, and the next change comes all the
 * same.
 */
export type InformerHandler<T extends KubernetesObject = KubernetesObject> = (event: InformerEvent<T>) => void;

/** A change of the copy: what is there now, and what was there before. */
export type InformerEvent<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly type: 'added';
      readonly object: T;
      /** It existed when the informer, or this subscription, began. */
      readonly initial: boolean;
    }
  | {
      readonly type: 'updated';
      readonly object: T;
      /** What the watch showed before; the same object when this is a resync. */
      readonly previous: T;
    }
  | {
      readonly type: 'deleted';
      /** Its last known state. */
      readonly object: T;
      /** The deletion was noticed only later, in a list, so changes just before it may never have been seen. */
      readonly missed: boolean;
    };

/** How long a handler hears of changes, and whether it sees everything again from time to time. */
export interface SubscribeOptions {
  /** Ends the subscription; so does disposing what `subscribe` returns. */
  readonly signal?: AbortSignal | undefined;
  /** Show every object again as `updated` after each such time, until the informer is stopped. @default never */
  readonly resyncMs?: number | undefined;
}

/** What operations need to know about one watch, as of now. */
export interface InformerHealth {
  readonly phase: ReflectorPhase;
  readonly synced: boolean;
  /** Why the last attempt failed; absent again as soon as one succeeds. */
  readonly lastError: Error | undefined;
  /** The rule that is missing, when the server forbade the last attempt. */
  readonly forbidden: MissingRule | undefined;
  /** Wall time in milliseconds at which the server last sent anything, bookmarks included. */
  readonly lastEventAt: number | undefined;
  readonly counts: ReflectorCounts;
}

/** Which objects are copied, what of them is kept, and how they are found. */
export interface InformerOptions<T extends KubernetesObject = KubernetesObject> extends Selection {
  /**
   * What becomes of `metadata.managedFields`, usually a third of an object: dropped, kept, or kept only for one manager's
   * server-side apply entries (those of subresources included). @default 'drop'
   */
  readonly managedFields?: 'drop' | 'keep' | { readonly manager: string } | undefined;
  /**
   * Changes an object before it is stored, to save memory. It may change the object it gets, which no other code has, but
   * not its name, namespace, uid or resourceVersion. When it throws, that is reported, and the object stays as it was.
   */
  readonly transform?: ((object: T) => T) | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Freeze stored objects, so that a change to one throws. @default true unless NODE_ENV is 'production' */
  readonly freeze?: boolean | undefined;
  /**
   * For who wants to know how things are and not each step: about how long (a quarter more at most) the server may be left
   * unread once something came, so that what follows is read in one go, which takes less processor time. Of the states that
   * an object had meanwhile, only the newest is told. A change after a rest is told at once. At most 10 s. @default 0
   */
  readonly gatherMs?: number | undefined;
  /** Objects per page where the server cannot stream its list. @default 500 */
  readonly pageSize?: number | undefined;
  /**
   * Gets what went wrong: failed lists and watches, unreadable lines, throwing handlers. The informer goes on, also when
   * this throws. Failed attempts come at the pace of attempts; of all else, what repeats within ten seconds is counted
   * and told as one.
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/** An informer with one owner, who starts it. `SharedInformers` shares one among many. */
export interface OwnInformer<T extends KubernetesObject = KubernetesObject> extends Informer<T> {
  /** Lists and watches until the signal is aborted, then resolves. Never rejects. To be called once. */
  start(signal: AbortSignal): Promise<void>;
}

/**
 * A copy of all objects of a kind that follows the server, in a watch of its own. `createSharedInformers` shares watches.
 *
 * @example
 * const pods = createInformer(client, Pod, { namespace: 'default' });
 * pods.subscribe(({ type, object }) => console.log(type, keyOf(object)));
 * await pods.start(signal);
 */
export function createInformer<K extends Kind>(
  client: Client,
  kind: K,
  options: InformerOptions<ObjectOf<K>> = {},
): OwnInformer<ObjectOf<K>> {
  return new KindInformer(client, kind, options);
}

/** A server that nobody reads ends the watch before long. */
const mostGatherMs = 10_000;

class KindInformer<K extends Kind, T extends ObjectOf<K> = ObjectOf<K>> implements OwnInformer<T> {
  readonly kind: K;
  readonly selection: Selection;
  readonly synced: Promise<void>;
  readonly store: ObjectStore<T>;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  readonly #errors: RepeatedErrors;
  readonly #prepare: StoredForm<T>;
  readonly #reflector: Reflector<K>;
  readonly #subscriptions = new Set<Subscription<T>>();
  #settleSynced: { resolve(): void; reject(reason: unknown): void } | undefined;
  #isSynced = false;
  #isStarted = false;
  #isStopped = false;

  constructor(client: Client, kind: K, options: InformerOptions<T>) {
    const { namespace, labels, fields, clock = systemClock, random = systemRandom, pageSize = 500 } = options;
    const { managedFields = 'drop', gatherMs = 0 } = options;
    if (!(gatherMs >= 0 && gatherMs <= mostGatherMs)) {
      throw new RangeError(`gatherMs must be between 0 and ${mostGatherMs}, and is ${gatherMs}`);
    }
    this.kind = kind;
    this.selection = { namespace, labels, fields };
    this.#clock = clock;
    const report = (error: Error) => callObserver(() => options.onError?.(error));
    this.#errors = new RepeatedErrors(report, clock);
    this.#onError = (error) => this.#errors.report(error);
    this.#prepare = storedForm<T>({
      managedFields,
      transform: options.transform,
      freeze: options.freeze ?? process.env.NODE_ENV !== 'production',
    });
    const match = selectionMatch(this.selection);
    this.store = new ObjectStore<T>({
      admits: match,
      prepare: (answer) => this.#prepared(isMetadataOnly(kind) ? metadataIn(answer) : answer, { isShared: true }),
      onError: this.#onError,
    });
    for (const [name, values] of Object.entries(options.indexes ?? {})) this.store.addIndex(name, values);
    this.synced = new Promise((resolve, reject) => {
      this.#settleSynced = { resolve, reject };
    });
    this.synced.catch(() => {}); // whoever waits for it hears of it; without a waiter, none needs to
    this.#reflector = new Reflector<K>({
      client,
      kind,
      selection: this.selection,
      pageSize,
      managedFields,
      gatherMs,
      clock,
      random,
      sink: {
        prepare: (object) => this.#prepared(object as T) ?? this.#known(object as T),
        replace: (objects, resourceVersion) => this.#replace(objects as ReadonlyMap<string, T>, resourceVersion),
        change: (type, object) => this.#change(type, object as T),
        advance: (resourceVersion) => this.store.advance(resourceVersion, true),
        fail: report,
        complain: this.#onError,
      },
    });
  }

  get health(): InformerHealth {
    const { phase, lastError, forbidden, lastEventAt, counts } = this.#reflector;
    return { phase, synced: this.#isSynced, lastError, forbidden, lastEventAt, counts };
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) throw new TypeError('this informer was started before');
    this.#isStarted = true;
    await this.#reflector.run(signal);
    this.#isStopped = true;
    this.#errors[Symbol.dispose]();
    for (const { timer } of this.#subscriptions) timer?.[Symbol.dispose]();
    this.#settleSynced?.reject(signal.reason);
  }

  subscribe(handler: InformerHandler<T>, { signal, resyncMs }: SubscribeOptions = {}): Disposable {
    if (resyncMs !== undefined && !(resyncMs > 0)) {
      throw new RangeError(`resyncMs must be greater than 0, not ${resyncMs}`);
    }
    const subscription: Subscription<T> = { handler, timer: undefined };
    const end = () => {
      this.#subscriptions.delete(subscription);
      subscription.timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', end);
    };
    if (signal?.aborted) return { [Symbol.dispose]: end };
    signal?.addEventListener('abort', end, { once: true });
    this.#subscriptions.add(subscription);
    for (const object of [...this.store.allDelivered()]) {
      this.#call(subscription, { type: 'added', object, initial: true });
    }
    if (resyncMs !== undefined) this.#resync(subscription, resyncMs);
    return { [Symbol.dispose]: end };
  }

  overlay(write: OwnWrite): void {
    const { group, version, resource } = write.kind;
    if (resource !== this.kind.resource || group !== this.kind.group || version !== this.kind.version) return;
    if (write.type === 'stored') {
      const { namespace } = this.selection;
      // Objects do not move between namespaces, so one of another is none of ours.
      if (namespace === undefined || write.object.metadata.namespace === namespace)
        this.store.overlay(write.object as T);
    } else this.store.overlayDeleted(write.key, write.uid);
  }

  /** Shows everything again after that time, and so on. */
  #resync(subscription: Subscription<T>, everyMs: number): void {
    if (this.#isStopped || !this.#subscriptions.has(subscription)) return;
    subscription.timer = this.#clock.setTimer(everyMs, () => {
      for (const object of [...this.store.allDelivered()]) {
        this.#call(subscription, { type: 'updated', object, previous: object });
      }
      this.#resync(subscription, everyMs);
    });
  }

  #replace(objects: ReadonlyMap<string, T>, resourceVersion: string): void {
    this.#notify(this.store.replace(objects, resourceVersion), !this.#isSynced);
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#settleSynced?.resolve();
  }

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const previous = this.#shown(object);
    // It may be the state that the answer to our own write has brought before.
    const stored = isSameState(previous, object) ? previous : this.#prepared(object, { previous });
    if (stored) {
      this.#notify(type === 'DELETED' ? this.store.deliverDeleted(stored) : this.store.deliver(stored), false);
    } else if (type === 'DELETED' || !this.#known(object)) {
      // Whatever it looks like: the object that was here is gone.
      this.#notify(this.store.deliverDeleted(object, false), false);
    }
  }

  #prepared(object: T, { previous = this.#shown(object), isShared = false } = {}): T | undefined {
    try {
      return this.#prepare(object, { previous, isShared });
    } catch (error) {
      const { message } = error as Error;
      this.#onError(new Error(`${this.kind.kind} ${labelOf(object)} cannot be stored: ${message}`, { cause: error }));
      return undefined;
    }
  }

  /** The newest state that is known of an object. */
  #shown({ metadata }: Partial<T>): T | undefined {
    return metadata?.name ? this.store.get(keyOf({ metadata })) : undefined;
  }

  /** What is stored of an object; one that cannot be stored as it is now stays so, and is not taken for deleted. */
  #known({ metadata }: Partial<T>): T | undefined {
    const known = metadata?.name ? this.store.delivered(keyOf({ metadata })) : undefined;
    return known?.metadata.uid === metadata?.uid ? known : undefined;
  }

  #notify(deliveries: readonly Delivery<T>[], initial: boolean): void {
    const subscriptions = [...this.#subscriptions];
    for (const delivery of deliveries) {
      const event: InformerEvent<T> = delivery.type === 'added' ? { ...delivery, initial } : delivery;
      for (const subscription of subscriptions) this.#call(subscription, event);
    }
  }

  #call(subscription: Subscription<T>, event: InformerEvent<T>): void {
    if (!this.#subscriptions.has(subscription)) return; // it left while others were called
    const report = (error: unknown) =>
      this.#onError(
        new Error(`a handler failed at the event ${event.type} of ${this.kind.kind} ${keyOf(event.object)}`, {
          cause: error,
        }),
      );
    callObserver(() => subscription.handler(event), report);
  }
}

interface Subscription<T extends KubernetesObject> {
  readonly handler: InformerHandler<T>;
  timer: Disposable | undefined;
}

/** A write is answered with the whole object, also where the watch brings less. */
function metadataIn<T extends KubernetesObject>({ apiVersion, kind, metadata }: T): T {
  return { apiVersion, kind, metadata } as T;
}

function labelOf({ metadata }: Partial<KubernetesObject>): string {
  return metadata?.name ? keyOf({ metadata }) : 'without a name';
}
