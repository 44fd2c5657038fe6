/**
 * Declarations: what a controller watches, owns and may do, as plain data.
 *
 * One declaration types the reconciler's context, starts the watches and yields the RBAC rules, so that these three
 * cannot drift apart. `runtime` interprets it, `generate` prints it; this file only says it.
 */

import type { CacheView } from './cache-view.ts';
import type { NamespacedName } from './key.ts';
import type { Kind, KubernetesObject, ObjectOf } from './kind.ts';
import type { LabelSelection } from './label-selector.ts';
import type { MetadataKind, MetadataObject } from './metadata-kind.ts';
import type { Predicate } from './predicates.ts';
import type { SettingsSchema } from './settings.ts';

/** What a controller declares before it says what to do. */
export interface Declaration {
  /** In logs and metrics. @default the reconciled kind in lower case */
  readonly name?: string | undefined;
  /** The kind that is reconciled: get, list, watch and status patch. */
  readonly for: Kind;
  /** Which objects of that kind; the others are neither cached nor reconciled. @default all */
  readonly selector?: ObjectSelection | undefined;
  /** Kinds whose objects it makes, each with one controller: get, list, watch, create, patch; `removable` adds delete. */
  readonly owns?: readonly (Kind | Own | Removable)[] | undefined;
  /** Other kinds whose changes matter to it: get, list, watch. */
  readonly watches?: readonly Watch[] | undefined;
  /** Kinds that the reconciled one refers to by name: get, list, watch, of which metadata is cached. */
  readonly refers?: readonly Reference<never>[] | undefined;
  /** Which updates of the reconciled object matter; its deletion always does. @default all */
  readonly when?: Predicate<never> | undefined;
  /**
   * The finalizer that keeps an object until its controller has cleaned up: patch. An engine's `controller` with a
   * `finalize` names one by itself. @default none
   */
  readonly finalizer?: string | undefined;
  /** The operator's settings, if the controller wants them. */
  readonly settings?: SettingsSchema | undefined;
  /** Live reads and other verbs. Events are granted by themselves. */
  readonly needs?: readonly Need[] | undefined;
}

/** An owned kind, of which only some objects or updates matter. Made by `own`. */
export interface Own<K extends Kind = Kind> extends ObjectSelection {
  readonly own: K;
  /** Which updates matter. @default all */
  readonly when?: Predicate<never> | undefined;
}

/** An owned kind whose objects the controller may also delete. Made by `removable`. */
export interface Removable<K extends Kind = Kind> extends ObjectSelection {
  readonly removable: K;
  /** Which updates matter. @default all */
  readonly when?: Predicate<never> | undefined;
}

/** How an owned kind is watched. */
export interface OwnedSelection<K extends Kind> extends ObjectSelection {
  /** Which updates matter. @default all */
  readonly when?: Predicate<ObjectOf<K>> | undefined;
}

/**
 * Owns a kind of which only some objects are cached, or only some updates matter. With labels, every description has to
 * bear them.
 *
 * @example
 * own(Deployment, { when: changed((deployment) => deployment.status.readyReplicas) })
 *
 * @example
 * own(ConfigMap, { labels: { 'app.kubernetes.io/managed-by': 'website' } })
 */
export function own<const K extends Kind>(kind: K, selection: OwnedSelection<K>): Own<K> {
  return { own: kind, ...selection };
}

/** Lets the controller also delete objects of an owned kind, by `owned.absent`; the rest is as for `own`. */
export function removable<const K extends Kind>(kind: K, selection: OwnedSelection<K> = {}): Removable<K> {
  return { removable: kind, ...selection };
}

/** Which objects of a kind are watched and cached. */
export interface ObjectSelection {
  /** Only those with these labels. @default any */
  readonly labels?: LabelSelection | undefined;
  /** Only those with these fields, such as `spec.nodeName=x`; the server knows few of each kind. @default any */
  readonly fields?: string | undefined;
}

/** Which objects of a kind are watched and cached, and where. */
export interface WatchSelection extends ObjectSelection {
  /** Only those in these namespaces, whatever the operator watches beside. @default those of the operator */
  readonly namespaces?: readonly string[] | undefined;
}

/** A watched kind: which of its objects, and whom they concern. Made by `watch`. */
export interface Watch<K extends Kind = Kind> extends WatchSelection {
  readonly watch: K;
  readonly to: Mapping<never>;
  /** Which updates matter. @default all */
  readonly when?: Predicate<never> | undefined;
}

/** Which objects of the reconciled kind a watched object concerns. */
export type Mapping<T = KubernetesObject> = NamedMapping | MappingFunction<T>;

/** A mapping that needs no code: made by `byLabel` or `byOwner`. */
export type NamedMapping = { readonly type: 'label'; readonly label: string } | { readonly type: 'owner' };

/** The keys that an object concerns. It must be pure; on an update it is asked for both states. */
export type MappingFunction<T = KubernetesObject> = (object: T, context: MappingContext) => readonly NamespacedName[];

/** What a mapping may look at. */
export interface MappingContext {
  /** The reconciled kind, and no other; complete before anything is mapped. */
  readonly cache: CacheView<Kind>;
}

/** The one in the same namespace whose name is the value of `label`. */
export function byLabel(label: string): NamedMapping {
  return { type: 'label', label };
}

/** Every one that owns the object, whether or not it controls it; `owns` maps to the one that does. */
export const byOwner: NamedMapping = { type: 'owner' };

/** How a kind is watched. */
export interface WatchDeclaration<K extends Kind> extends WatchSelection {
  /** Whom an object concerns: by a label, by its owners, or by a function. */
  readonly to: NamedMapping | MappingFunction<ObjectOf<K>>;
  /** Which updates matter. @default all */
  readonly when?: Predicate<ObjectOf<K>> | undefined;
}

/**
 * Watches a kind, whose objects are cached: whole, or by their metadata if it is `metadataOf(kind)`.
 *
 * @example
 * watch(Pod, { labels: { app: 'web' }, to: byLabel('app.kubernetes.io/instance') })
 *
 * @example
 * watch(IngressClass, { to: (ingressClass, { cache }) => cache.list(Site).map(keyOf) })
 */
export function watch<const K extends Kind>(kind: K, declaration: WatchDeclaration<K>): Watch<K> {
  return { watch: kind, ...declaration };
}

/**
 * Objects that the reconciled kind refers to by name. Their changes wake those who refer to them, by an index that the
 * engine keeps. They are watched by their metadata: `client.get` reads the content, and its right follows from this.
 */
export interface Reference<For extends Kind = Kind, K extends Kind = Kind> extends WatchSelection {
  readonly to: K;
  /** By which name: one in the object's own namespace, or `namespace/name`; one, many or none. */
  readonly by: (object: ObjectOf<For>) => References;
  /** Which updates matter. @default all */
  readonly when?: Predicate<MetadataObject<K>> | undefined;
}

/** The names by which an object refers to others. */
export type References = string | readonly (string | undefined)[] | undefined;

/** What a rule of a Role may grant. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A right that is needed beside those that follow from the declaration. */
export interface Need {
  readonly kind: Pick<Kind, 'group' | 'resource'> & Partial<Pick<Kind, 'scope'>>;
  readonly subresource?: string | undefined;
  /** Only on objects with these names; `create` cannot be limited so. @default any */
  readonly names?: readonly string[] | undefined;
  readonly verbs: readonly Verb[];
}

/** Says that the controller also needs these verbs on a kind, for `client`. */
export function allow(kind: Kind, ...verbs: readonly Verb[]): Need {
  return { kind, verbs };
}

/** The kinds that a declaration owns, without the marks of `own` and `removable`. */
export function ownedKinds(declaration: Declaration): readonly Kind[] {
  return ownedSelections(declaration).map(({ own: kind }) => kind);
}

/** What a declaration owns, each with its selection. */
export function ownedSelections({ owns = [] }: Declaration): readonly Own[] {
  return owns.map((owned) => {
    if ('own' in owned) return owned;
    if (!('removable' in owned)) return { own: owned };
    const { removable: kind, ...selection } = owned;
    return { own: kind, ...selection };
  });
}

type OwnedBy<Owns> = Owns extends Removable<infer K> | Own<infer K> ? K : Owns extends Kind ? Owns : never;
type RemovedBy<Owns> = Owns extends Removable<infer K> ? K : never;
type WatchedBy<Watches> = Watches extends Watch<infer K> ? K : never;
type MetadataOfEach<K> = K extends Kind ? MetadataKind<K> : never;
type ReferredBy<Refers> = Refers extends { readonly to: infer K } ? MetadataOfEach<K> : never;
type Element<T> = T extends readonly (infer E)[] ? E : never;

/** The kinds that the controller of a declaration may write with `owned`. */
export type OwnedKind<D extends Declaration> = OwnedBy<Element<D['owns']>>;

/** The kinds that it may delete with `owned.absent`. */
export type RemovableKind<D extends Declaration> = RemovedBy<Element<D['owns']>>;

/** The kinds that it watches beside the reconciled and the owned ones. */
export type WatchedKind<D extends Declaration> = WatchedBy<Element<D['watches']>> | ReferredBy<Element<D['refers']>>;
