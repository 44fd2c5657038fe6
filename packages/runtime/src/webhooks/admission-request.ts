/**
 * What a webhook is asked: one value, told apart by `operation`.
 *
 * A CREATE has no old object, and its object has no uid, no resourceVersion and perhaps no name yet; a DELETE has no new
 * object. Values are what the server sent and are frozen: whoever wants a change returns another value.
 */
import type { AdmissionOperation, CacheView, Clock, JsonObject, Kind, ObjectMeta, ObjectOf } from '@keelson/core';
import type { UserInfo } from '@keelson/core/authentication/v1';
import type { Logger } from '../log/logger.ts';

/** An object on its way to the server: what a webhook sees, and what its `default` returns. */
export type ArrivingObject<K extends Kind> = Omit<ObjectOf<K>, 'metadata' | 'status'> & {
  readonly metadata: ObjectMeta;
  readonly status?: StatusIn<ObjectOf<K>> | undefined;
};

type StatusIn<T> = T extends { readonly status?: infer Status } ? Status : unknown;

/** What every request brings, and what the webhook has at hand. */
export interface AdmissionContext<Read extends Kind = never, Settings = undefined> {
  readonly namespace: string | undefined;
  /** Who asks. The same in a dry run. */
  readonly user: UserInfo;
  /** Whether nothing will be stored whatever is answered. */
  readonly dryRun: boolean;
  /** The options of the request, such as `fieldManager` and `propagationPolicy`. */
  readonly options: JsonObject;
  /** The kinds that the webhook `reads`: synchronous, complete before the first call, and a little behind the server. */
  readonly cache: CacheView<Read>;
  /** What whoever runs the operator has chosen; `undefined` unless the webhook declares `settings`. */
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborted shortly before the server stops to wait; for the author's own I/O. */
  readonly signal: AbortSignal;
}

/** An object is to be made. */
export interface CreateRequest<K extends Kind> {
  readonly operation: 'CREATE';
  /** Absent where the server shall make one. */
  readonly name: string | undefined;
  readonly object: ArrivingObject<K>;
  readonly oldObject?: undefined;
}

/** An object is to be changed: by an update, a patch or an apply. */
export interface UpdateRequest<K extends Kind> {
  readonly operation: 'UPDATE';
  readonly name: string;
  readonly object: ObjectOf<K>;
  readonly oldObject: ObjectOf<K>;
}

/** An object is to be deleted. One with finalizers comes here once, and is then updated until they are gone. */
export interface DeleteRequest<K extends Kind> {
  readonly operation: 'DELETE';
  readonly name: string;
  readonly object?: undefined;
  readonly oldObject: ObjectOf<K>;
}

/** A stream to an object is to be opened; the object here is how: `command`, `container`, `tty`. */
export interface ConnectRequest<K extends Kind> {
  readonly operation: 'CONNECT';
  readonly name: string;
  readonly object: Omit<ObjectOf<K>, 'metadata' | 'status'>;
  readonly oldObject?: undefined;
}

interface RequestsOf<K extends Kind> {
  readonly CREATE: CreateRequest<K>;
  readonly UPDATE: UpdateRequest<K>;
  readonly DELETE: DeleteRequest<K>;
  readonly CONNECT: ConnectRequest<K>;
}

/** What a webhook is asked. */
export type AdmissionRequest<
  K extends Kind,
  Operation extends AdmissionOperation = 'CREATE' | 'UPDATE',
  Read extends Kind = never,
  Settings = undefined,
> = RequestsOf<K>[Operation] & AdmissionContext<Read, Settings>;
