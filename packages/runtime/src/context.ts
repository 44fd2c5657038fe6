/**
 * What a reconciler is given, typed by its declaration: undeclared kinds are compile errors.
 *
 * It ends with the pass: a call on `client`, `owned`, `status` or `events` after that is refused and reported.
 */
import type { Client } from '@keelson/client';
import type {
  CachedKind,
  Clock,
  Declaration,
  InputOf,
  LabelSelection,
  NamespacedName,
  ObjectOf,
  OwnedKind,
  RemovableKind,
  StatusInputOf,
} from '@keelson/core';
import type { Logger } from './logger.ts';

export interface ReconcileContext<D extends Declaration> {
  /** What the watches have brought, and this operator's own writes; synchronous, read-only, declared kinds only. */
  readonly cache: CacheView<D>;
  /** The API server itself. Every call is ended when this reconcile has to stop. */
  readonly client: Client;
  /** The objects that this one controls. */
  readonly owned: Owned<D>;
  readonly status: StatusWriter<D>;
  readonly events: Events;
  readonly logger: Logger;
  /** Time for the author's code; in tests it is the cluster's. */
  readonly clock: Clock;
  /** Aborted when the reconcile has to stop; for the author's own I/O. */
  readonly signal: AbortSignal;
}

export interface CacheView<D extends Declaration> {
  get<K extends CachedKind<D>>(kind: K, key: NamespacedName): ObjectOf<K> | undefined;
  list<K extends CachedKind<D>>(kind: K, options?: CacheListOptions): readonly ObjectOf<K>[];
}

export interface CacheListOptions {
  /** @default all namespaces that are watched */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelection | undefined;
}

export interface Owned<D extends Declaration> {
  /**
   * Makes the object be as described: server-side apply with this operator's field manager, a controller reference to
   * the reconciled object, and force. What the description no longer names is removed; what others set stays.
   * Nothing is sent when nothing would change. Throws `NotControlledError` for an object that this one does not control.
   */
  apply<K extends OwnedKind<D>>(kind: K, desired: InputOf<K>, options?: ApplyOwnedOptions): Promise<ObjectOf<K>>;
  /** Makes the object not be. One that this one does not control is left alone. */
  absent<K extends RemovableKind<D>>(kind: K, name: string): Promise<void>;
}

export interface ApplyOwnedOptions {
  /** Take over an existing object that nobody controls. @default false */
  readonly adopt?: boolean;
}

export interface StatusWriter<D extends Declaration> {
  /**
   * Makes this the whole status. `observedGeneration` and the times of conditions are stamped here; a time changes only
   * when its condition's status does. Nothing is sent when nothing would change.
   */
  apply(status: StatusInputOf<D['for']>): Promise<ObjectOf<D['for']>>;
}

/** Events about the reconciled object, for its user. Recording never fails and never waits. */
export interface Events {
  normal(reason: string, message: string): void;
  warning(reason: string, message: string): void;
}
