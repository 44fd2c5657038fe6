/**
 * Shared informers: those who ask for the same kind, selection and stored form share one watch and one store.
 *
 * A watch begins with the first handle and ends with the last.
 */
import {
  type Clock,
  isMetadataOnly,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  printLabelSelector,
  type Random,
  requirementsOf,
} from '@keelson/core';
import type { Client } from '../client/client.ts';
import type { OwnWrite } from '../client/own-write.ts';
import {
  createInformer,
  type Informer,
  type InformerOptions,
  type OwnInformer,
  type SubscribeOptions,
} from './informer.ts';

/**
 * A set of informers, each watch begun with its first user and ended with its last. Disposing it ends all of them.
 */
export interface SharedInformers extends AsyncDisposable {
  /**
   * Joins the watch for this kind, namespace, selection, managedFields, transform and gatherMs, or begins it. Dispose the
   * handle to leave: its subscriptions end, and with the last handle the watch.
   */
  informer<K extends Kind>(kind: K, options?: SharedInformerOptions<ObjectOf<K>>): InformerHandle<ObjectOf<K>>;
  /**
   * Lays what a write did over every store that holds the object, until its watch has caught up.
   *
   * @example
   * const bound = client.with({ onWritten: (write) => informers.overlay(write) });
   */
  overlay(write: OwnWrite): void;
  /** Every running informer once, for readiness and metrics. */
  readonly all: readonly Informer[];
}

/** One user's share of an informer; disposing it leaves the watch to the others. */
export interface InformerHandle<T extends KubernetesObject = KubernetesObject> extends Informer<T>, AsyncDisposable {}

/** What one user asks of a shared informer. */
export type SharedInformerOptions<T extends KubernetesObject = KubernetesObject> = Omit<
  InformerOptions<T>,
  'clock' | 'random' | 'onError' | 'freeze'
>;

/** What all informers of a set have in common. */
export interface SharedInformersOptions {
  readonly client: Client;
  /** Gets what went wrong, and in which informer. They go on, so only this hears of a missing right, for one. */
  readonly onError: (error: Error, informer: Informer) => void;
  /** Freeze stored objects, so that a change to one throws. @default true unless NODE_ENV is 'production' */
  readonly freeze?: boolean | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/**
 * Informers that share their watches: the same kind and selection is watched once, however many ask for it.
 *
 * @example
 * await using informers = createSharedInformers({ client, onError: (error) => console.error(error.message) });
 * const deployments = informers.informer(Deployment, { namespace: 'default' });
 * await deployments.synced;
 * deployments.store.get('default/web'); // the stored object itself, read-only
 */
export function createSharedInformers(options: SharedInformersOptions): SharedInformers {
  return new InformerPool(options);
}

interface Shared {
  readonly informer: Informer;
  readonly stop: AbortController;
  readonly stopped: Promise<void>;
  handles: number;
}

class InformerPool implements SharedInformers {
  readonly #options: SharedInformersOptions;
  readonly #shared = new Map<string, Shared>();
  readonly #transforms = new WeakMap<object, number>();
  #lastTransform = 0;
  #isDisposed = false;

  constructor(options: SharedInformersOptions) {
    this.#options = options;
  }

  get all(): readonly Informer[] {
    return [...this.#shared.values()].map(({ informer }) => informer);
  }

  informer<K extends Kind>(kind: K, options: SharedInformerOptions<ObjectOf<K>> = {}): InformerHandle<ObjectOf<K>> {
    if (this.#isDisposed) throw new TypeError('these informers are stopped');
    if (!kind.resource) throw new TypeError(`informer: ${kind.kind} has no resource; find the kind by discovery first`);
    const id = this.#idOf(kind, options);
    const shared = this.#shared.get(id) ?? this.#begin(id, kind, options);
    const informer = shared.informer as unknown as Informer<ObjectOf<K>>;
    for (const [name, values] of Object.entries(options.indexes ?? {})) informer.store.addIndex(name, values);
    shared.handles += 1;
    return new Handle(informer, async () => {
      shared.handles -= 1;
      if (shared.handles > 0) return;
      if (this.#shared.get(id) === shared) this.#shared.delete(id);
      shared.stop.abort(new Error('the last user of this informer left'));
      await shared.stopped;
    });
  }

  overlay(write: OwnWrite): void {
    for (const { informer } of this.#shared.values()) informer.overlay(write);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const all = [...this.#shared.values()];
    this.#shared.clear();
    for (const { stop } of all) stop.abort(new Error('the informers were stopped'));
    await Promise.all(all.map(({ stopped }) => stopped));
  }

  #begin<K extends Kind>(id: string, kind: K, options: SharedInformerOptions<ObjectOf<K>>): Shared {
    const { client, clock, random, freeze, onError } = this.#options;
    const informer: OwnInformer<ObjectOf<K>> = createInformer(client, kind, {
      ...options,
      clock,
      random,
      freeze,
      onError: (error) => onError(error, informer as unknown as Informer),
    });
    const stop = new AbortController();
    const shared = {
      informer: informer as unknown as Informer,
      stop,
      stopped: informer.start(stop.signal),
      handles: 0,
    };
    this.#shared.set(id, shared);
    return shared;
  }

  #idOf<T extends KubernetesObject>(kind: Kind, options: SharedInformerOptions<T>): string {
    const { namespace, labels, fields, managedFields = 'drop', transform, gatherMs = 0 } = options;
    const selector = labels === undefined ? '' : printLabelSelector(requirementsOf(labels));
    const { group, version, resource } = kind;
    const form = isMetadataOnly(kind) ? 'metadata' : 'whole';
    return JSON.stringify([
      group,
      version,
      resource,
      form,
      namespace,
      selector,
      fields,
      managedFields,
      this.#transformId(transform),
      gatherMs,
    ]);
  }

  /** Functions are the same only when they are the same value. */
  #transformId(transform: object | undefined): number {
    if (transform === undefined) return 0;
    const id = this.#transforms.get(transform) ?? ++this.#lastTransform;
    this.#transforms.set(transform, id);
    return id;
  }
}

class Handle<T extends KubernetesObject> implements InformerHandle<T> {
  readonly #informer: Informer<T>;
  readonly #leave: () => Promise<void>;
  readonly #subscriptions = new Set<Disposable>();
  #left: Promise<void> | undefined;

  constructor(informer: Informer<T>, leave: () => Promise<void>) {
    this.#informer = informer;
    this.#leave = leave;
  }

  get kind() {
    return this.#informer.kind;
  }

  get selection() {
    return this.#informer.selection;
  }

  get store() {
    return this.#informer.store;
  }

  get synced() {
    return this.#informer.synced;
  }

  get health() {
    return this.#informer.health;
  }

  overlay(write: OwnWrite): void {
    this.#informer.overlay(write);
  }

  subscribe(handler: Parameters<Informer<T>['subscribe']>[0], options?: SubscribeOptions): Disposable {
    if (this.#left) throw new TypeError('this handle was disposed');
    const signal = options?.signal;
    const inner = this.#informer.subscribe(handler, options);
    if (signal?.aborted) return inner;
    const end = () => {
      this.#subscriptions.delete(subscription);
      signal?.removeEventListener('abort', end);
      inner[Symbol.dispose]();
    };
    const subscription = { [Symbol.dispose]: end };
    this.#subscriptions.add(subscription);
    signal?.addEventListener('abort', end, { once: true });
    return subscription;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#left ??= this.#leave();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#subscriptions.clear();
    await this.#left;
  }
}
