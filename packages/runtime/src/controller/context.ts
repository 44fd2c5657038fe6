/**
 * What a reconciler is given, typed by its declaration: undeclared kinds are compile errors.
 *
 * It ends with the pass: a call on `client`, `owned`, `status` or `events` after that is refused and reported.
 */
import type { Client } from '@keelson/client';
import type {
  CacheView,
  Clock,
  Declaration,
  InputOf,
  Kind,
  ObjectOf,
  OwnedKind,
  RemovableKind,
  SettingsOf,
  StatusInputOf,
  WatchedKind,
} from '@keelson/core';
import type { Logger } from '../log/logger.ts';

/** What a reconciler is given: the kinds are the reconciled one, those it owns, may remove, and finds in the cache. */
export interface ReconcileContext<
  For extends Kind = Kind,
  Owns extends Kind = Kind,
  Removable extends Kind = Kind,
  Cached extends Kind = Kind,
  Settings = unknown,
> {
  /** What the watches have brought, and this operator's own writes; synchronous, read-only, declared kinds only. */
  readonly cache: CacheView<Cached>;
  /** The API server itself. Every call is ended when this reconcile has to stop; the cache shows what it writes. */
  readonly client: Client;
  /** The objects that this one controls. */
  readonly owned: Owned<Owns, Removable>;
  /** The status of the reconciled object. */
  readonly status: StatusWriter<For>;
  readonly events: Events;
  readonly logger: Logger;
  /** What whoever runs the operator has chosen; `undefined` unless the controller declares `settings`. */
  readonly settings: Settings;
  /** Whether nothing is written, by `--plan`: effects outside of the cluster are to be skipped. */
  readonly plan: boolean;
  /** Time for the author's code; in tests it is the cluster's. */
  readonly clock: Clock;
  /** Aborted when the reconcile has to stop; for the author's own I/O. */
  readonly signal: AbortSignal;
}

/** The context that a declaration promises. */
export type ContextOf<D extends Declaration> = ReconcileContext<
  D['for'],
  OwnedKind<D>,
  RemovableKind<D>,
  D['for'] | OwnedKind<D> | WatchedKind<D>,
  SettingsOf<D['settings']>
>;

/** The objects that the reconciled object controls, each of a declared kind. */
export interface Owned<Owns extends Kind = Kind, Removable extends Kind = Kind> {
  /**
   * Makes the object be as described: server-side apply with this operator's field manager, a controller reference to
   * the reconciled object, and force. What the description no longer names is removed; fields that it never named stay
   * as others set them. Items that others put into lists under `spec` that it names are removed.
   * Nothing is sent when nothing would change. Throws `NotControlledError` for an object that this one does not control.
   */
  apply<K extends Owns>(kind: K, desired: InputOf<K>, options?: ApplyOwnedOptions): Promise<ObjectOf<K>>;
  /** Makes the object not be. One that this one does not control is left alone. */
  absent<K extends Removable>(kind: K, name: string): Promise<void>;
  /** Makes all objects of the kind not be that this one controls, except those with these names. */
  only<K extends Removable>(kind: K, names: readonly string[]): Promise<void>;
}

/** How `owned.apply` treats an object that exists. */
export interface ApplyOwnedOptions {
  /** Take over an existing object without a controller. @default false */
  readonly adopt?: boolean;
  /**
   * What others may set as well, such as `spec.template.spec.containers` or `spec.replicas`: in a list, their items stay;
   * a field is left to whoever else has changed it. @default nothing
   */
  readonly shared?: readonly string[];
}

/** Writes the status of the reconciled object. */
export interface StatusWriter<For extends Kind = Kind> {
  /**
   * Makes this the whole status. `observedGeneration` and the times of conditions are stamped here; a time changes only
   * when its condition's status does. Nothing is sent when nothing would change.
   */
  apply(status: StatusInputOf<For>): Promise<ObjectOf<For>>;
  /**
   * Makes this the whole status once this pass has succeeded, beside other passes; do not change it until then. While
   * objects wait that were there at the start, it is left to the next pass of this one, so that the steps of a rollout need
   * fewer writes. For what a pass has seen; what it relies on (an id of something outside) is applied.
   */
  report(status: StatusInputOf<For>): void;
}

/** Events about the reconciled object, for its user. Recording never fails and never waits. */
export interface Events {
  normal(reason: string, message: string): void;
  warning(reason: string, message: string): void;
}
