/** What a write works with, and what it gives back. */
import type { Clock } from '@keelson/core';
import type { AdmissionContext } from '../admit/admission.ts';
import type { LateAdmission } from '../admit/late-admission.ts';
import { type ApiObject, freeze } from '../object.ts';
import type { Remarks } from '../remarks.ts';
import type { StrategyContext } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { Revision } from '../store/revision.ts';
import type { Store } from '../store/store.ts';

export interface WriteContext extends AdmissionContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly strategyContext: StrategyContext;
  readonly remarks?: Remarks | undefined;
  /** Admitters that must be waited for; absent, every write is done at once. */
  readonly lateAdmission?: LateAdmission | undefined;
}

export interface Written {
  readonly revision: Revision;
  readonly created: boolean;
}

/** Whether a webhook may have to convert an object of the write. */
export const mustWait = ({ resource }: Write): boolean => resource.strategy.ahead !== undefined;

/** A promise only where admitters or conversions must be waited for. */
export type MaybeLater<T> = T | Promise<T>;

/** The answer to a dry run: what would have been stored, without a number. */
export const unstored = (key: string, object: ApiObject): Revision => new Revision(key, 0, freeze(object));

/** A custom resource is called what it calls itself, even when that is what is wrong with it. */
export const refusedKind = ({ resource }: Write, object: ApiObject) => ({
  group: resource.strategy.internalGroup,
  kind: object.kind,
});
