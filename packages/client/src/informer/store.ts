/**
 * The objects of one kind: what the watch has delivered, with the answers to our own writes laid over it until the watch
 * has caught up.
 *
 * What holds at every moment:
 * - A key shows its overlay if there is one, and otherwise what the watch delivered. Every read, by key, list or index,
 *   shows the same; `#show` is the one place that changes it, and the indexes with it.
 * - Between two lists, what the watch delivered for a key only moves forward in resourceVersion.
 * - An overlay is newer than everything the watch had delivered when it came. It goes when the watch delivers its key at
 *   that resourceVersion or a newer one, when a bookmark or a new list says that the watch has passed it, or when a newer
 *   write takes its place. So no overlay outlives the watch's progress, and a late answer cannot bring back the past.
 * - A tombstone hides the object with one uid, and all that the key held before it. It goes when the watch reports that
 *   deletion, shows a successor under the same key, or lists without it at a time when it existed or had gone. An object
 *   that was deleted before the watch had shown it gets its tombstone when it is delivered.
 * - Handlers never hear of overlays: an object is reported when the watch delivers it, and compared with what the watch
 *   showed before.
 */
import {
  compareResourceVersions,
  type KubernetesObject,
  keyOf,
  type LabelSelection,
  matchesLabels,
  type NamespacedName,
  type Requirement,
  requirementsOf,
} from '@keelson/core';
import { type IndexFunction, ObjectIndex } from './object-index.ts';
import { ObjectList } from './object-list.ts';

/** Reads are synchronous, and give the stored objects themselves, never copies: do not change one. */
export interface StoreReader<T extends KubernetesObject = KubernetesObject> {
  get(key: NamespacedName): T | undefined;
  list(selection?: StoreSelection): readonly T[];
  /** The objects for which the index function named `value`. */
  byIndex(index: string, value: string): readonly T[];
  readonly size: number;
  /** How far the watch has come (one that gathers leaves out steps); empty until the first list is complete. */
  readonly resourceVersion: string;
}

/** Which of the stored objects. */
export interface StoreSelection {
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelection | undefined;
}

/** A store that its users may add indexes to; what the watch delivers, and their own writes, go in elsewhere. */
export interface Store<T extends KubernetesObject = KubernetesObject> extends StoreReader<T> {
  /** Indexes what is stored and what will be. The same function again changes nothing; another one is a TypeError. */
  addIndex(name: string, values: IndexFunction<T>): void;
  /** From now on, a list by a value of this label looks at the objects that have it, and at no others. */
  indexLabel(label: string): void;
}

export interface ObjectStoreOptions<T> {
  /** Whether an object is inside the watch's namespace and selection. */
  readonly admits: (object: T) => boolean;
  /** Makes the stored form of the answer to a write, which is left as it is; or reports that it has none. */
  readonly prepare: (object: T) => T | undefined;
  /** Gets what an index function throws. */
  readonly onError: (error: Error) => void;
}

/** A change to what the watch has delivered. */
export type Delivery<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T; readonly missed: boolean };

type Overlay<T> =
  | { readonly type: 'object'; readonly resourceVersion: string; readonly object: T }
  | { readonly type: 'outside'; readonly resourceVersion: string }
  /** The resourceVersion is that of the object which was deleted: the deletion is newer. */
  | { readonly type: 'tombstone'; readonly resourceVersion: string; readonly uid: string };

/** A key with an overlay, and what the watch has delivered for it underneath. */
interface Shadow<T> {
  readonly overlay: Overlay<T>;
  readonly delivered: T | undefined;
}

/** One that the watch never shows stays until others take its place; uids are not used again. */
const maxDeletedUnseen = 1000;

const isOlder = (a: string, b: string) => compareResourceVersions(a, b) < 0;

export class ObjectStore<T extends KubernetesObject> implements Store<T> {
  readonly #options: ObjectStoreOptions<T>;
  readonly #shown = new ObjectList<T>();
  readonly #shadows = new Map<NamespacedName, Shadow<T>>();
  readonly #namespaces: ObjectIndex<T>;
  readonly #indexes = new Map<string, ObjectIndex<T>>();
  readonly #labels = new Map<string, ObjectIndex<T>>();
  readonly #allIndexes: ObjectIndex<T>[];
  /** The uids of objects that we deleted before the watch had shown them. */
  readonly #deletedUnseen = new Set<string>();
  #resourceVersion = '';

  constructor(options: ObjectStoreOptions<T>) {
    this.#options = options;
    this.#namespaces = new ObjectIndex(
      ({ metadata: { namespace } }) => (namespace ? [namespace] : []),
      options.onError,
    );
    this.#allIndexes = [this.#namespaces];
  }

  get size(): number {
    return this.#shown.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(key: NamespacedName): T | undefined {
    return this.#shown.get(key);
  }

  list({ namespace, labels }: StoreSelection = {}): readonly T[] {
    const inNamespace = () => (namespace === undefined ? this.#shown.all : this.#namespaces.get(namespace));
    if (labels === undefined) return inNamespace();
    const requirements = requirementsOf(labels);
    const labelled = this.#labelled(requirements);
    return (labelled ?? inNamespace()).filter(
      ({ metadata }) =>
        (labelled === undefined || namespace === undefined || metadata.namespace === namespace) &&
        matchesLabels(requirements, metadata.labels),
    );
  }

  /** The objects that meet one of the requirements, if there is an index for it. */
  #labelled(requirements: readonly Requirement[]): readonly T[] | undefined {
    for (const wanted of this.#labels.size === 0 ? [] : requirements) {
      const index = wanted.operator === 'In' && wanted.values.length === 1 ? this.#labels.get(wanted.key) : undefined;
      if (index && wanted.operator === 'In') return index.get(wanted.values[0] ?? '');
    }
    return undefined;
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index)
      throw new TypeError(`there is no index "${name}"; there are ${[...this.#indexes.keys()].join(', ') || 'none'}`);
    return index.get(value);
  }

  addIndex(name: string, values: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.values === values) return;
    if (existing) throw new TypeError(`the index "${name}" exists already, with another function`);
    this.#indexes.set(name, this.#filled(values));
  }

  indexLabel(label: string): void {
    if (this.#labels.has(label)) return;
    const found = ({ metadata: { labels } }: T) => (labels && Object.hasOwn(labels, label) ? labels[label] : undefined);
    const index = this.#filled((object) => {
      const value = found(object);
      return value === undefined ? [] : [value];
    });
    this.#labels.set(label, index);
  }

  #filled(values: IndexFunction<T>): ObjectIndex<T> {
    const index = new ObjectIndex(values, this.#options.onError);
    for (const [key, object] of this.#shown) index.set(key, object);
    this.#allIndexes.push(index);
    return index;
  }

  /**
   * Shows the answer to a write until the watch delivers that resourceVersion or a newer one. Ignored when the watch has
   * come that far already. An object that is outside of the watch's selection after this write is hidden for as long.
   */
  overlay(object: T): void {
    const key = keyOf(object);
    const { resourceVersion, uid } = object.metadata;
    const shadow = this.#shadows.get(key);
    const delivered = this.delivered(key);
    if (this.#resourceVersion !== '' && !isOlder(this.#resourceVersion, resourceVersion)) return;
    if (delivered && !isOlder(delivered.metadata.resourceVersion, resourceVersion)) return;
    if (shadow?.overlay.type === 'tombstone' && shadow.overlay.uid === uid) return;
    if (shadow && !isOlder(shadow.overlay.resourceVersion, resourceVersion)) return;
    const { admits, prepare } = this.#options;
    if (admits(object)) {
      const stored = prepare(object);
      if (stored) this.#lay(key, { type: 'object', resourceVersion, object: stored }, delivered);
    } else this.#lay(key, { type: 'outside', resourceVersion }, delivered);
  }

  /** Hides an object that the server confirmed to be gone, until the watch says so too. Without a uid: the one shown. */
  overlayDeleted(key: NamespacedName, uid: string | undefined): void {
    const shown = this.#shown.get(key);
    if (!shown || (uid !== undefined && shown.metadata.uid !== uid)) {
      if (uid !== undefined) this.#expectDeleted(uid);
      return;
    }
    const { resourceVersion } = shown.metadata;
    this.#lay(key, { type: 'tombstone', resourceVersion, uid: shown.metadata.uid }, this.delivered(key));
  }

  /** What the watch has delivered for a key, whatever lies over it. */
  delivered(key: NamespacedName): T | undefined {
    const shadow = this.#shadows.get(key);
    return shadow ? shadow.delivered : this.#shown.get(key);
  }

  /** Everything that the watch has delivered. */
  *allDelivered(): Generator<T, void, undefined> {
    for (const [key, object] of this.#shown) if (!this.#shadows.has(key)) yield object;
    for (const { delivered } of this.#shadows.values()) if (delivered) yield delivered;
  }

  /** The watch shows an object; the changes that this means, oldest first. */
  deliver(object: T): readonly Delivery<T>[] {
    const key = keyOf(object);
    const previous = this.delivered(key);
    const { resourceVersion, uid } = object.metadata;
    this.advance(resourceVersion, false);
    if (previous && !isOlder(previous.metadata.resourceVersion, resourceVersion)) return [];
    this.#settle(key, object, (overlay) =>
      overlay.type === 'tombstone'
        ? uid !== overlay.uid && isOlder(overlay.resourceVersion, resourceVersion)
        : !isOlder(resourceVersion, overlay.resourceVersion),
    );
    return changes(previous, object);
  }

  /** The watch shows that an object is gone. With `isLastState`, this is what it was in the end, and not only which. */
  deliverDeleted(object: T, isLastState = true): readonly Delivery<T>[] {
    const key = keyOf(object);
    const previous = this.delivered(key);
    const { resourceVersion, uid } = object.metadata;
    this.advance(resourceVersion, false);
    if (previous && isOlder(resourceVersion, previous.metadata.resourceVersion)) return [];
    this.#settle(key, undefined, (overlay) =>
      overlay.type === 'tombstone' ? uid === overlay.uid : !isOlder(resourceVersion, overlay.resourceVersion),
    );
    if (!previous) return [];
    // Of an object that was never shown, handlers must not hear the end, but that of the one before it.
    return isLastState && previous.metadata.uid === uid
      ? [{ type: 'deleted', object, missed: false }]
      : [{ type: 'deleted', object: previous, missed: true }];
  }

  /** The watch has come this far. With `isComplete`, everything up to here was delivered (a bookmark). */
  advance(resourceVersion: string, isComplete: boolean): void {
    if (this.#resourceVersion === '' || isOlder(this.#resourceVersion, resourceVersion)) {
      this.#resourceVersion = resourceVersion;
    }
    if (!isComplete || this.#shadows.size === 0) return;
    for (const [key, { overlay, delivered }] of this.#shadows) {
      if (overlay.type !== 'tombstone' && !isOlder(resourceVersion, overlay.resourceVersion))
        this.#lift(key, delivered);
    }
  }

  /** A complete list takes the place of what was delivered; the changes that this means. */
  replace(next: ReadonlyMap<NamespacedName, T>, resourceVersion: string): readonly Delivery<T>[] {
    // A server that went back in time uses the same resourceVersions again, for other states, and forgot our writes.
    const isBehind = this.#resourceVersion !== '' && isOlder(resourceVersion, this.#resourceVersion);
    this.#resourceVersion = resourceVersion;
    if (isBehind) this.#deletedUnseen.clear();
    const deleted: Delivery<T>[] = [];
    for (const previous of [...this.allDelivered()]) {
      const key = keyOf(previous);
      if (next.has(key)) continue;
      deleted.push({ type: 'deleted', object: previous, missed: true });
      this.#settle(key, undefined, (overlay) => isBehind || isPassed(overlay, undefined, resourceVersion));
    }
    const changed: Delivery<T>[] = [];
    for (const [key, object] of next) {
      const previous = this.delivered(key);
      const isUnchanged = previous === object || (!isBehind && isSameState(previous, object));
      if (!isUnchanged) changed.push(...changes(previous, object));
      this.#settle(
        key,
        isUnchanged ? previous : object,
        (overlay) => isBehind || isPassed(overlay, object, resourceVersion),
      );
    }
    for (const [key, { overlay, delivered }] of this.#shadows) {
      if (!next.has(key) && (isBehind || isPassed(overlay, undefined, resourceVersion))) this.#lift(key, delivered);
    }
    return [...deleted, ...changed];
  }

  #expectDeleted(uid: string): void {
    this.#deletedUnseen.add(uid);
    if (this.#deletedUnseen.size <= maxDeletedUnseen) return;
    const [oldest] = this.#deletedUnseen;
    if (oldest !== undefined) this.#deletedUnseen.delete(oldest);
  }

  #lay(key: NamespacedName, overlay: Overlay<T>, delivered: T | undefined): void {
    this.#shadows.set(key, { overlay, delivered });
    this.#show(key, overlay.type === 'object' ? overlay.object : undefined);
  }

  #lift(key: NamespacedName, delivered: T | undefined): void {
    this.#shadows.delete(key);
    this.#show(key, delivered);
  }

  /** Notes what was delivered for a key, and lifts its overlay if that is over. */
  #settle(key: NamespacedName, delivered: T | undefined, isOver: (overlay: Overlay<T>) => boolean): void {
    const shadow = this.#shadows.get(key);
    if (!shadow && delivered && this.#deletedUnseen.delete(delivered.metadata.uid)) {
      const { resourceVersion, uid } = delivered.metadata;
      this.#lay(key, { type: 'tombstone', resourceVersion, uid }, delivered);
    } else if (!shadow) this.#show(key, delivered);
    else if (isOver(shadow.overlay)) this.#lift(key, delivered);
    else this.#shadows.set(key, { ...shadow, delivered });
  }

  #show(key: NamespacedName, object: T | undefined): void {
    if (this.#shown.get(key) === object) return;
    if (object) this.#shown.set(key, object);
    else this.#shown.delete(key);
    for (const index of this.#allIndexes) {
      if (object) index.set(key, object);
      else index.delete(key);
    }
  }
}

/** Whether a list that is as new as `resourceVersion` and has `object` under the key makes the overlay superfluous. */
function isPassed<T extends KubernetesObject>(
  overlay: Overlay<T>,
  object: T | undefined,
  resourceVersion: string,
): boolean {
  if (isOlder(resourceVersion, overlay.resourceVersion)) return false;
  return overlay.type !== 'tombstone' || object?.metadata.uid !== overlay.uid;
}

/** Whether both are the same object at the same resourceVersion. */
export function isSameState<T extends KubernetesObject>(previous: T | undefined, { metadata }: T): boolean {
  return previous?.metadata.uid === metadata.uid && previous.metadata.resourceVersion === metadata.resourceVersion;
}

/** Another uid is another object: the first must have been deleted in between. */
function changes<T extends KubernetesObject>(previous: T | undefined, object: T): Delivery<T>[] {
  if (!previous) return [{ type: 'added', object }];
  if (previous.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, previous }];
  return [
    { type: 'deleted', object: previous, missed: true },
    { type: 'added', object },
  ];
}
