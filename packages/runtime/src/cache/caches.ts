/**
 * The caches of one controller or webhook: a watch for each kind that it declares, or one for each namespace, shared with
 * others where they agree.
 *
 * `cache` and the writers read here and nowhere else, so nothing is ever watched that was not declared.
 */
import type { InformerHandle, SharedInformerOptions, SharedInformers, Store } from '@keelson/client';
import {
  addressOf,
  type CacheListOptions,
  type CacheView,
  controllerName,
  type Declaration,
  isNotFound,
  isOptional,
  type Kind,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  type ObjectOf,
} from '@keelson/core';
import { referenceIndex } from './references.ts';
import { idOfKind, type WatchedKindEntry, watchedKinds } from './watched-kinds.ts';

export interface ReadCaches extends CacheView<Kind> {
  /** All watches, those of optional kinds included. */
  readonly informers: readonly InformerHandle[];
  /** The watches of a kind: one, or one for each namespace. */
  informersOf(kind: Kind): readonly InformerHandle[];
  /** Throws for a kind that is not declared, with the `remedy`. */
  store<K extends Kind>(kind: K, remedy?: string): CachedObjects<ObjectOf<K>>;
}

export interface Caches extends ReadCaches {
  /** The reconciled objects that refer to `object` by the declaration's reference of this number. */
  referrers(reference: number, object: KubernetesObject): readonly NamespacedName[];
}

/** What is cached of one kind, in however many watches. */
interface CachedObjects<T> {
  get(key: NamespacedName): T | undefined;
  list(options?: CacheListOptions): readonly T[];
  byIndex(index: string, value: string): readonly T[];
}

export interface CachesOptions {
  /** Whose entries of managedFields are kept. */
  readonly manager: string;
  /** Where namespaced kinds are watched. @default everywhere */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether changes of a kind are read together when there are many. @default none are */
  readonly gathers?: ((kind: Kind) => boolean) | undefined;
}

/** Long beside what a wake-up costs, short beside what a user notices; none by itself has to wait. */
const gatherMs = 100;

export function createCaches(declaration: Declaration, shared: SharedInformers, options: CachesOptions): Caches {
  const references = (declaration.refers ?? []).map((reference, i) => ({
    name: `${controllerName(declaration)} refers to ${idOfKind(reference.to)} (${i})`,
    values: referenceIndex(declaration.for, reference),
  }));
  const indexes = Object.fromEntries(references.map(({ name, values }) => [name, values]));
  const caches = cacheKinds(watchedKinds(declaration), shared, {
    ...options,
    indexes: (kind) => (idOfKind(kind) === idOfKind(declaration.for) ? indexes : undefined),
    undeclared: 'is not declared by the controller',
    remedy: 'add it to owns or watches to read it from the cache',
  });
  for (const { watch: kind, to } of declaration.watches ?? []) {
    // What finds its object by a label is found from there by the same label, in every pass.
    if (typeof to !== 'function' && to.type === 'label') {
      for (const { store } of caches.informersOf(kind)) store.indexLabel(to.label);
    }
  }
  return {
    ...caches,
    referrers: (reference, object) =>
      caches
        .store(declaration.for)
        .byIndex(references[reference]?.name ?? '', keyOf(object))
        .map(keyOf),
  };
}

/** The caches of a webhook: the kinds that it reads. */
export function createReadCaches(kinds: readonly Kind[], shared: SharedInformers, options: CachesOptions): ReadCaches {
  const entries = [...new Map(kinds.map((kind) => [idOfKind(kind), { kind, selection: {} }])).values()];
  return cacheKinds(entries, shared, {
    ...options,
    undeclared: 'is not declared by the webhook',
    remedy: 'add it to reads',
  });
}

interface KindsOptions extends CachesOptions {
  /** Indexes of the objects of a kind. */
  readonly indexes?: (kind: Kind) => Indexes | undefined;
  /** What is said of a kind that is not there, and what to do about it. */
  readonly undeclared: string;
  readonly remedy: string;
}

type Indexes = NonNullable<SharedInformerOptions['indexes']>;

function cacheKinds(
  entries: readonly WatchedKindEntry[],
  shared: SharedInformers,
  { manager, namespaces, gathers, indexes, undeclared, remedy: usual }: KindsOptions,
): ReadCaches {
  const handles = new Map<string, readonly InformerHandle[]>();
  for (const { kind, selection } of entries) {
    const { labels, fields } = selection;
    const places = kind.scope === 'Cluster' ? [undefined] : (selection.namespaces ?? namespaces ?? [undefined]);
    handles.set(
      idOfKind(kind),
      [...new Set(places)].map((namespace) =>
        shared.informer(kind, {
          namespace,
          labels,
          fields,
          managedFields: { manager },
          indexes: indexes?.(kind),
          gatherMs: gathers?.(kind) ? gatherMs : 0,
        }),
      ),
    );
  }
  const informersOf = (kind: Kind, remedy = usual): readonly InformerHandle[] => {
    const found = handles.get(idOfKind(kind));
    if (found !== undefined) return found;
    throw new TypeError(`${kind.kind} ${undeclared}: ${remedy}`);
  };
  const stores = new Map([...handles].map(([id, informers]) => [id, storeOf(informers)]));
  const store = <K extends Kind>(kind: K, remedy?: string): CachedObjects<ObjectOf<K>> => {
    informersOf(kind, remedy);
    return stores.get(idOfKind(kind)) as CachedObjects<ObjectOf<K>>;
  };
  return {
    informers: [...handles.values()].flat(),
    informersOf: (kind) => informersOf(kind),
    store,
    get: <K extends Kind>(kind: K, key: NamespacedName) => {
      addressOf(kind, key); // a key of the wrong form would be found nowhere
      return store(kind).get(key);
    },
    list: <K extends Kind>(kind: K, options?: CacheListOptions) => store(kind).list(options),
    serves: (kind) => informersOf(kind).every((each) => each.health.synced && !isAbsentKind(each)),
  };
}

function storeOf(informers: readonly InformerHandle[]): CachedObjects<KubernetesObject> {
  const [only, ...others] = informers;
  if (only !== undefined && others.length === 0 && !isOptional(only.kind)) return only.store;
  // What is left of a kind that is no longer served is the past.
  const stores = (): readonly Store[] => informers.filter((each) => !isAbsentKind(each)).map(({ store }) => store);
  return {
    get: (key) =>
      stores()
        .map((each) => each.get(key))
        .find((object) => object !== undefined),
    list: (options) => stores().flatMap((each) => each.list(options)),
    byIndex: (index, value) => stores().flatMap((each) => each.byIndex(index, value)),
  };
}

/** Whether a watch has nothing to show since the server does not have its kind, which the controller can do without. */
export function isAbsentKind({ kind, health }: Pick<InformerHandle, 'kind' | 'health'>): boolean {
  return isOptional(kind) && isNotFound(health.lastError);
}

/** Settles when every cache is complete that the controller cannot do without. */
export async function requiredCachesSynced({ informers }: Pick<Caches, 'informers'>): Promise<void> {
  await Promise.all(informers.filter(({ kind }) => !isOptional(kind)).map(({ synced }) => synced));
}
