/**
 * The watches of one controller: one for each kind that it declares, shared with other controllers where they agree.
 *
 * `cache` and the writers read here and nowhere else, so nothing is ever watched that was not declared.
 */
import type { InformerHandle, SharedInformers, Store } from '@keelson/client';
import {
  addressOf,
  type CacheListOptions,
  type CacheView,
  type Declaration,
  type Kind,
  type LabelSelection,
  type NamespacedName,
  type ObjectOf,
  ownedKinds,
  printLabelSelector,
  requirementsOf,
  resourceNameOf,
} from '@keelson/core';

export interface Caches extends CacheView<Kind> {
  readonly informers: readonly InformerHandle[];
  informer(kind: Kind): InformerHandle;
  store<K extends Kind>(kind: K): Store<ObjectOf<K>>;
}

interface Selected {
  readonly kind: Kind;
  /** Absent: every object of the kind is watched. */
  readonly labels: LabelSelection | undefined;
}

const idOf = (kind: Kind): string => `${resourceNameOf(kind)}/${kind.version}`;

/** Which kinds a declaration watches, each once, and by which labels. */
function watchedKinds(declaration: Declaration): readonly Selected[] {
  const selected = new Map<string, Selected>();
  for (const kind of [declaration.for, ...ownedKinds(declaration)])
    selected.set(idOf(kind), { kind, labels: undefined });
  for (const { watch: kind, labels } of declaration.watches ?? []) {
    const present = selected.get(idOf(kind));
    if (present === undefined) selected.set(idOf(kind), { kind, labels });
    else if (present.labels !== undefined && printed(present.labels) !== printed(labels)) {
      throw new RangeError(
        `${kind.kind} is watched twice with different labels; use one watch and let its mapping choose`,
      );
    }
  }
  return [...selected.values()];
}

const printed = (labels: LabelSelection | undefined): string => printLabelSelector(requirementsOf(labels ?? {}));

export function createCaches(declaration: Declaration, shared: SharedInformers, manager: string): Caches {
  const handles = new Map<string, InformerHandle>();
  for (const { kind, labels } of watchedKinds(declaration)) {
    handles.set(idOf(kind), shared.informer(kind, { labels, managedFields: { manager } }));
  }
  const informer = (kind: Kind): InformerHandle => {
    const handle = handles.get(idOf(kind));
    if (handle === undefined) {
      throw new TypeError(
        `${kind.kind} is not declared by the controller: add it to owns or watches to read it from the cache`,
      );
    }
    return handle;
  };
  const store = <K extends Kind>(kind: K) => informer(kind).store as Store<ObjectOf<K>>;
  return {
    informers: [...handles.values()],
    informer,
    store,
    get: <K extends Kind>(kind: K, key: NamespacedName) => {
      addressOf(kind, key); // a key of the wrong form would be found nowhere
      return store(kind).get(key);
    },
    list: <K extends Kind>(kind: K, options?: CacheListOptions) => store(kind).list(options),
  };
}
