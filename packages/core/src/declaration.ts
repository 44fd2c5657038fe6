/**
 * Declarations: what a controller watches, owns and may do, as plain data.
 *
 * One declaration types the reconciler's context, starts the watches and yields the RBAC rules, so that these three
 * cannot drift apart. `runtime` interprets it, `generate` prints it; this file only says it.
 */

import type { NamespacedName } from './key.ts';
import type { Kind, ObjectOf } from './kind.ts';
import type { LabelSelection } from './label-selector.ts';

/** What a controller declares before it says what to do. */
export interface Declaration {
  /** In logs and metrics. @default the reconciled kind in lower case */
  readonly name?: string | undefined;
  /** The kind that is reconciled: get, list, watch and status patch. */
  readonly for: Kind;
  /** Kinds whose objects it makes, each with one controller: get, list, watch, create, patch; `removable` adds delete. */
  readonly owns?: readonly (Kind | Removable)[] | undefined;
  /** Other kinds whose changes matter to it: get, list, watch. */
  readonly watches?: readonly Watch[] | undefined;
  /**
   * The finalizer that keeps an object until its controller has cleaned up: patch. An engine's `controller` with a
   * `finalize` names one by itself. @default none
   */
  readonly finalizer?: string | undefined;
  /** Live reads and other verbs. Events are granted by themselves. */
  readonly needs?: readonly Need[] | undefined;
}

/** An owned kind whose objects the controller may also delete. */
export interface Removable<K extends Kind = Kind> {
  readonly removable: K;
}

export function removable<const K extends Kind>(kind: K): Removable<K> {
  return { removable: kind };
}

/** A watched kind: which of its objects, and whom they concern. */
export interface Watch<K extends Kind = Kind> {
  readonly watch: K;
  /** Only what this lets through is cached. */
  readonly labels?: LabelSelection | undefined;
  readonly to: Mapping;
}

/** Which objects of the reconciled kind a watched object concerns. */
export type Mapping =
  | { readonly type: 'label'; readonly label: string }
  | { readonly type: 'function'; readonly keysOf: (object: never) => readonly NamespacedName[] };

/** The one in the same namespace whose name is the value of `label`. */
export function byLabel(label: string): Mapping {
  return { type: 'label', label };
}

export interface WatchOptions<K extends Kind> {
  readonly labels?: LabelSelection | undefined;
  /** A mapping, or a function that gives the keys. It must be pure; on an update it is asked for both states. */
  readonly to: Mapping | ((object: ObjectOf<K>) => readonly NamespacedName[]);
}

export function watch<const K extends Kind>(kind: K, { labels, to }: WatchOptions<K>): Watch<K> {
  return {
    watch: kind,
    ...(labels !== undefined && { labels }),
    to: typeof to === 'function' ? { type: 'function', keysOf: to } : to,
  };
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface Need {
  readonly kind: Pick<Kind, 'group' | 'resource'>;
  readonly subresource?: string | undefined;
  readonly verbs: readonly Verb[];
}

/** Says that the controller also needs these verbs on a kind, for `client`. */
export function allow(kind: Kind, ...verbs: readonly Verb[]): Need {
  return { kind, verbs };
}

/** The kinds that a declaration owns, without the mark of `removable`. */
export function ownedKinds(declaration: Declaration): readonly Kind[] {
  return (declaration.owns ?? []).map((owned) => ('removable' in owned ? owned.removable : owned));
}

type OwnedBy<Owns> = Owns extends Removable<infer K> ? K : Owns extends Kind ? Owns : never;
type RemovedBy<Owns> = Owns extends Removable<infer K> ? K : never;
type WatchedBy<Watches> = Watches extends Watch<infer K> ? K : never;
type Element<T> = T extends readonly (infer E)[] ? E : never;

/** The kinds that the controller of a declaration may write with `owned`. */
export type OwnedKind<D extends Declaration> = OwnedBy<Element<D['owns']>>;

/** The kinds that it may delete with `owned.absent`. */
export type RemovableKind<D extends Declaration> = RemovedBy<Element<D['owns']>>;

/** The kinds that it watches beside the reconciled and the owned ones. */
export type WatchedKind<D extends Declaration> = WatchedBy<Element<D['watches']>>;
