/** An object that was deleted and waited for its finalizers goes with the update that takes the last of them. */
import type { ApiObject } from '../object.ts';
import type { Strategy } from '../resource/resource.ts';

/** Whether the old object waited for nothing but the finalizers that the new one no longer has. */
export function hasLostLastFinalizer(strategy: Strategy, object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || !old.metadata.deletionTimestamp) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 && strategy.isFinalized(object);
}
