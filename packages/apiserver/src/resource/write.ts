/**
 * A write as every step after routing sees it: who changes what. How the request came, if there was one at all, is not
 * part of it, so that the server's own writes are writes like others.
 */
import type { JsonObject, ObjectMeta } from '@keelson/core';
import { administrator, type User } from '../request/user.ts';
import type { Resource } from './resource.ts';

export interface Write {
  readonly user: User;
  /** What was asked for: `create`, `update`, `patch`, `delete`. */
  readonly verb: string;
  readonly resource: Resource;
  /** The endpoint that is written to, such as `status`; empty for the object itself. */
  readonly subresource: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  /** Empty as long as a new object has not said its name. */
  readonly name: string;
  /** Who will own the fields that the write changes. */
  readonly manager: string;
  /** Everything is done but the storing. */
  readonly dryRun: boolean;
  /** The options that were given, by the names that they have in CreateOptions and its likes; none for own writes. */
  readonly options?: JsonObject | undefined;
  /** Remarks that travel with the answer, whatever it is. */
  readonly warnings: string[];
}

/** Under which the server owns what it writes by itself. */
export const ownManager = 'kube-apiserver';

/** A write that the server makes of itself, allowed to do everything. */
export const ownWrite = (
  what: Pick<Write, 'verb' | 'resource' | 'subresource'>,
  { namespace = '', name = '' }: ObjectMeta,
): Write => ({ ...what, namespace, name, user: administrator, manager: ownManager, dryRun: false, warnings: [] });

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: Preconditions;
}

/** What must be true of an object for it to be deleted. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}
