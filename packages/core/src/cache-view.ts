/** What can be read of a controller's caches: synchronous, uncloned, read-only, of declared kinds alone. */
import type { NamespacedName } from './key.ts';
import type { Kind, ObjectOf } from './kind.ts';
import type { LabelSelection } from './label-selector.ts';

/** The cached objects of the kinds that a controller declares. */
export interface CacheView<Cached extends Kind> {
  /** The object, or `undefined`. A key that does not fit the scope of the kind is a TypeError. */
  get<K extends Cached>(kind: K, key: NamespacedName): ObjectOf<K> | undefined;
  /** All objects, or those in a namespace and with labels. The array is the cache's own. */
  list<K extends Cached>(kind: K, options?: CacheListOptions): readonly ObjectOf<K>[];
  /** Whether the server has the kind and its cache is complete; for kinds that are `optional`. */
  serves(kind: Cached): boolean;
}

/** Which cached objects. */
export interface CacheListOptions {
  /** @default all namespaces that are watched */
  readonly namespace?: string | undefined;
  /** @default any */
  readonly labels?: LabelSelection | undefined;
}
