/**
 * Tells every change to those who watch its resource and its namespace.
 *
 * Synchronous: when a write has returned, all watchers have been told. Watchers are told in the order in which they came.
 */
import type { Store } from '../store/store.ts';
import { WatchEvent } from './watch-event.ts';
import type { Watcher } from './watcher.ts';

export class FanOut {
  /** By collection, then by namespace; the empty namespace sees all. */
  readonly #watchers = new Map<string, Map<string, Set<Watcher>>>();

  constructor(store: Store) {
    store.listen((collection, change) => {
      const byNamespace = this.#watchers.get(collection.name);
      if (byNamespace === undefined) return;
      const event = new WatchEvent(change);
      const { namespace } = change.revision;
      for (const watcher of byNamespace.get('') ?? []) watcher.deliver(change, event);
      if (namespace) for (const watcher of byNamespace.get(namespace) ?? []) watcher.deliver(change, event);
    });
  }

  add(collection: string, watcher: Watcher): void {
    let byNamespace = this.#watchers.get(collection);
    if (byNamespace === undefined) {
      byNamespace = new Map();
      this.#watchers.set(collection, byNamespace);
    }
    const { namespace } = watcher.selection;
    let watchers = byNamespace.get(namespace);
    if (watchers === undefined) {
      watchers = new Set();
      byNamespace.set(namespace, watchers);
    }
    watchers.add(watcher);
  }

  remove(collection: string, watcher: Watcher): void {
    const byNamespace = this.#watchers.get(collection);
    const watchers = byNamespace?.get(watcher.selection.namespace);
    watchers?.delete(watcher);
    if (watchers?.size === 0) byNamespace?.delete(watcher.selection.namespace);
    if (byNamespace?.size === 0) this.#watchers.delete(collection);
  }

  /** Ends the watches of a resource that is no more, or all of them. */
  closeAll(collection?: string): void {
    for (const [name, byNamespace] of [...this.#watchers]) {
      if (collection !== undefined && name !== collection) continue;
      for (const watchers of [...byNamespace.values()]) for (const watcher of [...watchers]) watcher.close();
    }
  }
}
