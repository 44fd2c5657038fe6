/**
 * What can be asked of an API server, typed by kind.
 *
 * Every call is live: it asks the server. A failure the server reports is an `ApiError`, no answer is a
 * `TransportError`, and both begin with the action: `get deployments.apps default/cache: …`. Objects come back as the
 * server sent them, with fields this library does not know, and always with `apiVersion` and `kind`.
 *
 * Keys are `namespace/name`, or `name` for a cluster-scoped kind; the wrong form is a TypeError before anything is sent.
 *
 * A kind that is only known at run time is given by its group, version and kind. The client asks the server for the rest,
 * remembers it, and asks again for what it does not know: a definition installed a moment ago is found.
 */
import type {
  InputOf,
  Kind,
  KubernetesObject,
  LabelSelection,
  List,
  NamespacedName,
  ObjectMeta,
  ObjectOf,
  VirtualKind,
  WatchEvent,
} from '@keelson/core';
import type { OwnWrite } from './own-write.ts';
import type { JsonPatch, MergePatchOf } from './patch.ts';

/**
 * Typed access to an API server, by kinds as values or by their names.
 *
 * Every failure is an `ApiError` (the server answered) or a `TransportError` (it did not). Reads and applies are repeated
 * after a 5xx or a broken connection, everything after a 429 that says when to come back, nothing else.
 */
export interface Client {
  /** The object; a NotFound `ApiError` when there is none. */
  get<K extends Kind>(kind: K | GroupVersionKind, key: NamespacedName, options?: GetOptions): Promise<ObjectOf<K>>;

  /** The object, or `undefined` when there is none. */
  find<K extends Kind>(
    kind: K | GroupVersionKind,
    key: NamespacedName,
    options?: GetOptions,
  ): Promise<ObjectOf<K> | undefined>;

  /** All objects, fetched page by page into one list. `timeoutMs` bounds the whole of it. */
  list<K extends Kind>(kind: K | GroupVersionKind, options?: ListOptions): Promise<List<ObjectOf<K>>>;

  /** The same pages one at a time; never holds more than one. `timeoutMs` bounds each. */
  pages<K extends Kind>(kind: K | GroupVersionKind, options?: ListOptions): AsyncIterable<List<ObjectOf<K>>>;

  /** A namespaced kind needs `metadata.namespace`. A kind that is answered and not kept, such as a review, will do too. */
  create<K extends CreatableKind>(
    kind: K | GroupVersionKind,
    object: WrittenOf<K>,
    options?: CreateOptions,
  ): Promise<CreatedOf<K>>;

  /** Sends something to a subresource, such as an Eviction or a Binding; the answer is of whatever kind that gives. */
  createSubresource(
    kind: CreatableKind | GroupVersionKind,
    subresource: string,
    body: SubresourceBody,
    options?: CreateOptions,
  ): Promise<unknown>;

  /** Replaces the object. With its `resourceVersion`, only if it was not written in between; without, unconditionally. */
  update<K extends Kind>(
    kind: K | GroupVersionKind,
    object: UpdateOf<K>,
    options?: UpdateOptions,
  ): Promise<ObjectOf<K>>;

  /** A merge patch (RFC 7396), or, given an array, a JSON patch (RFC 6902). */
  patch<K extends Kind>(
    kind: K | GroupVersionKind,
    key: NamespacedName,
    patch: MergePatchOf<K> | JsonPatch,
    options?: PatchOptions,
  ): Promise<ObjectOf<K>>;

  /** Server-side apply: the fields named here become the field manager's, those it named before and not now go. */
  apply<K extends Kind>(kind: K | GroupVersionKind, object: WrittenOf<K>, options?: ApplyOptions): Promise<ObjectOf<K>>;

  /** Server-side apply of what a subresource holds: `applySubresource(Site, 'status', { metadata, status })`. */
  applySubresource<K extends Kind>(
    kind: K | GroupVersionKind,
    subresource: string,
    body: SubresourceBody,
    options?: ApplyOptions,
  ): Promise<ObjectOf<K>>;

  /** A NotFound `ApiError` when there is nothing to delete. */
  delete<K extends Kind>(
    kind: K | GroupVersionKind,
    key: NamespacedName,
    options?: DeleteOptions,
  ): Promise<DeleteResult<ObjectOf<K>>>;

  /** Deletes whatever the selection matches, in one namespace (`namespace` is required for a namespaced kind). */
  deleteCollection(kind: Kind | GroupVersionKind, options?: DeleteCollectionOptions): Promise<void>;

  /**
   * Changes as the server reports them, until it closes the stream (which it does every few minutes), the signal is
   * aborted, or the loop is left. An ERROR event is thrown as an `ApiError` (`isGone`: list again). An informer does
   * all that for you.
   */
  watch<K extends Kind>(kind: K | GroupVersionKind, options?: WatchOptions): AsyncIterable<WatchEvent<ObjectOf<K>>>;

  /** The JSON at any path, for what is no object of a kind: `/version`, `/apis`. */
  getRaw(path: string, options?: RawOptions): Promise<unknown>;

  /** The bytes at any path as they come, such as the log of a container. Leaving the loop closes the connection. */
  streamRaw(path: string, options?: RawOptions): AsyncIterable<Uint8Array>;

  /** The same client with these defaults for every call; a signal given here and one given to a call both count. */
  with(defaults: CallDefaults): Client;
}

/** The name of a kind, for one that is only known at run time; `group` is empty for Pods and their like. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** What has one is a `Kind`. */
  readonly resource?: undefined;
}

/** What an author writes of a kind. Of one that is only known at run time, nothing is known about its fields. */
export type WrittenOf<K extends VirtualKind> =
  KubernetesObject extends ObjectOf<K> ? InputOf<K> | (InputOf<K> & AnyFields) : InputOf<K>;

/** What `create` answers with; of a kind that is only known at run time, nothing is known about its fields. */
export type CreatedOf<K extends VirtualKind> = unknown extends ObjectOf<K> ? KubernetesObject : ObjectOf<K>;

interface AnyFields {
  readonly [field: string]: unknown;
}

/** What can be sent to a collection: a stored kind, or a virtual one that has a path of its own. */
export type CreatableKind = VirtualKind & Pick<Kind, 'resource' | 'scope'>;

/** What is sent to a subresource: a part of the object, such as its status, or something of another kind. */
export interface SubresourceBody {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly [field: string]: unknown;
}

/** What `update` takes: an object as read, or as written with its name known. */
export type UpdateOf<K extends Kind> = ObjectOf<K> | (WrittenOf<K> & { readonly metadata: { readonly name: string } });

/** What every call takes: how it is ended. */
export interface CallOptions {
  /** Ends the call, and closes its connection. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, retries included. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** What every call of a client has unless it says otherwise; `client.with` binds more of it. */
export interface CallDefaults extends CallOptions {
  readonly fieldManager?: string | undefined;
  /**
   * Called right before each write is sent, also when it is repeated; what it throws ends the call with nothing sent.
   * Such as a leader's `term.assertCurrent`.
   */
  readonly guard?: (() => void) | undefined;
  /**
   * Hears what each successful write did, before the call returns; what it throws is dropped. Informers show it at once
   * when told: `client.with({ onWritten: (write) => informers.overlay(write) })`.
   */
  readonly onWritten?: ((write: OwnWrite) => void) | undefined;
}

/** How a path is read that no kind stands for. */
export interface RawOptions extends CallOptions {
  /** What form the answer shall have. @default 'application/json', or anything for a stream */
  readonly accept?: string | undefined;
}

/** Which part of an object is read, and how fresh it must be. */
export interface GetOptions extends CallOptions {
  /** Such as `status` or `scale`. */
  readonly subresource?: string | undefined;
  /** `'0'`: whatever the server has in memory will do. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects of a kind: by namespace, labels and fields. */
export interface Selection {
  /** Absent means all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelection | undefined;
  /** Such as `metadata.name=x` or `spec.nodeName=y`; the server knows few fields of each kind. */
  readonly fields?: string | undefined;
}

/** What is listed, from which state, and in pages of which size. */
export interface ListOptions extends Selection, CallOptions {
  /** Objects per page. @default 500 */
  readonly pageSize?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Begin where an earlier page ended. */
  readonly continueToken?: string | undefined;
}

/** What is watched, and from which state on. */
export interface WatchOptions extends Selection {
  /** Ends the watch and closes its connection; the loop then ends with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the server may take to begin its answer. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** Go on from here; absent: begin with what is there now. */
  readonly resourceVersion?: string | undefined;
  /** Send all that exists first, then a bookmark with `initialEventsEnd`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the server shall end the watch. @default the server's choice, 30 to 60 minutes */
  readonly serverTimeoutSeconds?: number | undefined;
  /**
   * With 'drop', objects come without `metadata.managedFields`, which are half of the work to read; with a manager, those
   * that it has not written do. @default 'keep'
   */
  readonly managedFields?: 'keep' | 'drop' | { readonly manager: string } | undefined;
  /**
   * About how long (a quarter more at most) the server may be left unread once something came, so that what follows is read
   * in one go; asked each time. Of the states of an object that came together, only the newest is told.
   * @default everything is read and told as it comes
   */
  readonly gatherMs?: (() => number) | undefined;
  /** Called when the server has begun its answer; what it throws is dropped. The first event may be a minute away. */
  readonly onOpen?: (() => void) | undefined;
  /** Told about a line that is no event; the watch goes on. @default it ends with that error */
  readonly onUnreadable?: ((error: Error) => void) | undefined;
}

/** How a write is sent and recorded. */
export interface WriteOptions extends CallOptions {
  /** Have the server do everything but store the result. @default false */
  readonly dryRun?: boolean | undefined;
  /** Who is recorded as the owner of the fields. @default the client's */
  readonly fieldManager?: string | undefined;
  /**
   * What the server does about unknown and doubled fields.
   * @default 'Ignore' for an apply, which is refused for unknown ones in any case; else 'Warn', by the server
   */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /** Gets each warning of the server; what it throws is dropped. @default the client's */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** How to create. */
export type CreateOptions = WriteOptions;

/** How to replace. */
export interface UpdateOptions extends WriteOptions {
  /** Such as `status` or `scale`. */
  readonly subresource?: string | undefined;
}

/** How to patch. */
export interface PatchOptions extends UpdateOptions {
  /** `strategic` merges lists by their keys; only built-in kinds know how. @default 'json' for an array, else 'merge' */
  readonly type?: 'json' | 'merge' | 'strategic' | undefined;
}

/** How an apply is sent. */
export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers instead of failing with a Conflict. @default false */
  readonly force?: boolean | undefined;
}

/** Under which conditions an object is deleted, and what happens to what it owns. */
export interface DeleteOptions extends CallOptions {
  /** Refuse (Conflict) unless the object still has this identity or state. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  /** What happens to what the object owns. @default the kind's, mostly 'Background' */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** @default false */
  readonly dryRun?: boolean | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** Which objects are deleted, and how. */
export interface DeleteCollectionOptions extends Selection, DeleteOptions {}

/** What a deletion has come to. */
export type DeleteResult<T> =
  /** It is gone. The uid says which one that was, where the server tells. */
  | { readonly type: 'deleted'; readonly uid: string | undefined }
  /** It is marked for deletion, and waits for its finalizers or the end of its grace period. */
  | { readonly type: 'terminating'; readonly object: T };
