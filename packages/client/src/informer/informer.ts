/**
 * Informer: one kind, kept in sight: a reflector that follows the server, a store that can be read at any time, and
 * handlers that hear of each change.
 *
 * Promises: a handler's history of an object is legal (added, updates, deleted, in this order, none twice); the store
 * already shows a change when handlers hear of it; a handler that throws harms nobody else.
 */
import { type Clock, type Kind, type KubernetesObject, keyOf, type ObjectOf, type Random } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import type { Client, Selection } from '../client/client.ts';
import type { IndexFunction } from './object-index.ts';
import { type MissingRule, Reflector, type ReflectorCounts, type ReflectorPhase } from './reflector.ts';
import { selectionMatch } from './selection-match.ts';
import { type Delivery, ObjectStore, type Store } from './store.ts';
import { storedForm } from './stored-form.ts';

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
}

export type InformerHandler<T extends KubernetesObject = KubernetesObject> = (event: InformerEvent<T>) => void;

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

export interface SubscribeOptions {
  /** Ends the subscription; so does disposing what `subscribe` returns. */
  readonly signal?: AbortSignal | undefined;
  /** Show every object again as `updated` after each such time. @default never */
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

export interface InformerOptions<T extends KubernetesObject = KubernetesObject> extends Selection {
  /**
   * What becomes of `metadata.managedFields`, usually a third of an object: dropped, kept, or kept only for one manager's
   * server-side apply entries (those of subresources included). @default 'drop'
   */
  readonly managedFields?: 'drop' | 'keep' | { readonly manager: string } | undefined;
  /** Changes an object before it is stored, to save memory. It may change the object it gets, which nobody else has. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Freeze stored objects, so that a change to one throws. @default true unless NODE_ENV is 'production' */
  readonly freeze?: boolean | undefined;
  /** Objects per page where the server cannot stream its list. @default 500 */
  readonly pageSize?: number | undefined;
  /** Gets what went wrong: failed lists and watches, unreadable lines, throwing handlers. The informer goes on. */
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

export function createInformer<K extends Kind>(
  client: Client,
  kind: K,
  options: InformerOptions<ObjectOf<K>> = {},
): OwnInformer<ObjectOf<K>> {
  return new KindInformer(client, kind, options);
}

class KindInformer<K extends Kind, T extends ObjectOf<K> = ObjectOf<K>> implements OwnInformer<T> {
  readonly kind: K;
  readonly selection: Selection;
  readonly synced: Promise<void>;
  readonly store: ObjectStore<T>;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  readonly #prepare: (object: T) => T;
  readonly #reflector: Reflector<K>;
  readonly #handlers = new Set<InformerHandler<T>>();
  #settleSynced: { resolve(): void; reject(reason: unknown): void } | undefined;
  #isSynced = false;
  #isStarted = false;

  constructor(client: Client, kind: K, options: InformerOptions<T>) {
    const { namespace, labels, fields, clock = systemClock, random = systemRandom, pageSize = 500 } = options;
    this.kind = kind;
    this.selection = { namespace, labels, fields };
    this.#clock = clock;
    this.#onError = options.onError ?? (() => {});
    this.#prepare = storedForm<T>({
      managedFields: options.managedFields ?? 'drop',
      transform: options.transform,
      freeze: options.freeze ?? process.env.NODE_ENV !== 'production',
    });
    const match = selectionMatch(this.selection);
    this.store = new ObjectStore<T>({ admits: match, prepare: this.#prepare, onError: this.#onError });
    for (const [name, values] of Object.entries(options.indexes ?? {})) this.store.addIndex(name, values);
    this.synced = new Promise((resolve, reject) => {
      this.#settleSynced = { resolve, reject };
    });
    this.synced.catch(() => {}); // those who wait for it hear of it; if nobody does, nobody needs to
    this.#reflector = new Reflector<K>({
      client,
      kind,
      selection: this.selection,
      pageSize,
      clock,
      random,
      sink: {
        // One that cannot be prepared stays as it was, rather than being taken for deleted.
        prepare: (object) => this.#prepared(object as T) ?? this.store.delivered(keyOf(object)),
        replace: (objects, resourceVersion) => this.#replace(objects as readonly T[], resourceVersion),
        change: (type, object) => this.#change(type, object as T),
        advance: (resourceVersion) => this.store.advance(resourceVersion, true),
        fail: this.#onError,
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
    this.#settleSynced?.reject(signal.reason);
  }

  subscribe(handler: InformerHandler<T>, { signal, resyncMs }: SubscribeOptions = {}): Disposable {
    // A wrapper of its own, so that one function may be subscribed twice.
    const own: InformerHandler<T> = (event) => handler(event);
    let timer: Disposable | undefined;
    const end = () => {
      this.#handlers.delete(own);
      timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', end);
    };
    if (signal?.aborted) return { [Symbol.dispose]: end };
    signal?.addEventListener('abort', end, { once: true });
    this.#handlers.add(own);
    for (const object of [...this.store.allDelivered()]) this.#call(own, { type: 'added', object, initial: true });
    if (resyncMs !== undefined) {
      const arm = () => {
        timer = this.#clock.setTimer(resyncMs, () => {
          for (const object of [...this.store.allDelivered()])
            this.#call(own, { type: 'updated', object, previous: object });
          if (this.#handlers.has(own)) arm();
        });
      };
      arm();
    }
    return { [Symbol.dispose]: end };
  }

  #replace(objects: readonly T[], resourceVersion: string): void {
    this.#tell(this.store.replace(objects, resourceVersion), !this.#isSynced);
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#settleSynced?.resolve();
  }

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const prepared = this.#prepared(object);
    if (prepared) {
      this.#tell(type === 'DELETED' ? this.store.deliverDeleted(prepared) : this.store.deliver(prepared), false);
    }
  }

  #prepared(object: T): T | undefined {
    try {
      return this.#prepare(object);
    } catch (error) {
      this.#onError(
        new Error(`${this.kind.kind} ${keyOf(object)} cannot be stored: its transform failed`, { cause: error }),
      );
      return undefined;
    }
  }

  #tell(deliveries: readonly Delivery<T>[], initial: boolean): void {
    const handlers = [...this.#handlers];
    for (const delivery of deliveries) {
      const event: InformerEvent<T> = delivery.type === 'added' ? { ...delivery, initial } : delivery;
      for (const handler of handlers) this.#call(handler, event);
    }
  }

  #call(handler: InformerHandler<T>, event: InformerEvent<T>): void {
    if (!this.#handlers.has(handler)) return; // it left while others were called
    const report = (error: unknown) =>
      this.#onError(
        new Error(`a handler failed at the event ${event.type} of ${this.kind.kind} ${keyOf(event.object)}`, {
          cause: error,
        }),
      );
    try {
      // An async function may be passed as a handler, and its rejection would end the process.
      const result: unknown = handler(event);
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  }
}
