/**
 * The one thing with state: every object, under one counter.
 *
 * Promises: each write that changes something gets the next number and is told to all listeners, in the order of the
 * numbers, before the write returns (or, when a listener writes, after the change that it is hearing of); a write that
 * changes nothing gets no number and is not told.
 * Does not: survive the process, or know what an object means.
 */
import { type Clock, equalJson, type Timer } from '@keelson/core';
import { type ApiObject, freeze, withMetadata } from '../object.ts';
import { Collection } from './collection.ts';
import { type Change, Revision } from './revision.ts';

export type Listener = (collection: Collection, change: Change) => void;

export interface StoreOptions {
  /** Changes kept per resource, for watches that resume and for lists of a past state. @default 2000 */
  readonly history?: number | undefined;
  /** Objects held per resource as such, and not by their bytes alone; of pods, this is some 3 MB. @default 300 */
  readonly recent?: number | undefined;
}

export class Store {
  /** etcd's counter starts at 1 with its first transaction; a list of an empty cluster has this number too. */
  #revision = 1;
  readonly #history: number;
  readonly #recent: number;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<Listener>();
  readonly #untold: { readonly collection: Collection; readonly change: Change }[] = [];
  #notifying = false;
  readonly #waiting = new Set<{ readonly revision: number; readonly reached: () => void }>();

  constructor({ history = 2000, recent = 300 }: StoreOptions = {}) {
    this.#history = history;
    this.#recent = recent;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The objects of one resource, by a name such as `deployments.apps`. */
  collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (found === undefined) {
      found = new Collection(name, this.#history, this.#recent, 0);
      this.#collections.set(name, found);
    }
    return found;
  }

  /** The collection has its first state now: nothing before it can be had. */
  begin(name: string): void {
    this.collection(name).compact(this.#revision);
  }

  /** Hears of every change from now on. */
  listen(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The key must be free. */
  create(collection: Collection, key: string, object: ApiObject): Revision {
    if (collection.get(key) !== undefined) throw new RangeError(`${collection.name} has ${key} already`);
    const revision = this.#next(collection, key, object);
    this.#commit(collection, { type: 'ADDED', revision, previous: undefined });
    return revision;
  }

  /** Puts `object` in the place of `previous`, which must be the current state; an equal object changes nothing. */
  update(collection: Collection, previous: Revision, object: ApiObject): Revision {
    this.#assertCurrent(collection, previous);
    if (equalJson(stamped(object, previous.number), previous.object)) return previous;
    const revision = this.#next(collection, previous.key, object);
    this.#commit(collection, { type: 'MODIFIED', revision, previous });
    return revision;
  }

  /** Removes the object; returns its last content under the number of the deletion. */
  delete(collection: Collection, previous: Revision): Revision {
    this.#assertCurrent(collection, previous);
    const revision = this.#next(collection, previous.key, previous.object);
    this.#commit(collection, { type: 'DELETED', revision, previous });
    return revision;
  }

  /** Forgets the states before a revision, or before now; reads and watches of them expire. */
  compact(revision = this.#revision): void {
    for (const collection of this.#collections.values()) collection.compact(revision);
  }

  /** Resolves to true as soon as the counter has reached `revision`, to false when that takes longer than `timeoutMs`. */
  reached(revision: number, clock: Clock, timeoutMs: number): Promise<boolean> {
    if (this.#revision >= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const waiting = {
        revision,
        reached: () => {
          timer?.[Symbol.dispose]();
          resolve(true);
        },
      };
      this.#waiting.add(waiting);
      timer = clock.setTimer(timeoutMs, () => {
        this.#waiting.delete(waiting);
        resolve(false);
      });
    });
  }

  #assertCurrent(collection: Collection, previous: Revision): void {
    if (collection.get(previous.key) !== previous)
      throw new RangeError(`${previous.key} is no longer at ${previous.number}`);
  }

  #next({ recent }: Collection, key: string, object: ApiObject): Revision {
    this.#revision += 1;
    return new Revision(key, this.#revision, freeze(stamped(object, this.#revision)), recent);
  }

  #commit(collection: Collection, change: Change): void {
    collection.record(change);
    this.#untold.push({ collection, change });
    if (!this.#notifying) this.#notify();
    for (const waiting of this.#waiting) {
      if (waiting.revision > this.#revision) continue;
      this.#waiting.delete(waiting);
      waiting.reached();
    }
  }

  #notify(): void {
    this.#notifying = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        const { collection, change } = next;
        for (const listener of this.#listeners) listener(collection, change);
        change.previous?.pass();
        if (change.type === 'DELETED') change.revision.pass();
      }
    } finally {
      this.#notifying = false;
    }
  }
}

const stamped = (object: ApiObject, revision: number): ApiObject =>
  withMetadata(object, { resourceVersion: String(revision) });
