/**
 * At most ten entries of updaters: the oldest ones of a version are put together as `ancient-changes`, so that objects
 * do not grow with everyone who ever touched them. Appliers are never forgotten.
 */

import { compareText, union } from '@keelson/core/fields';
import { type Managers, managerId, type Ownership, secondsOf } from './managed-fields.ts';

const maxUpdaters = 10;

export function capUpdaters(managers: Managers): Managers {
  const updaters = Array.from(managers).filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return managers;
  updaters.sort(([a, one], [b, other]) => secondsOf(one) - secondsOf(other) || compareText(a, b));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, updater] of updaters) {
    if (count <= maxUpdaters) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id);
      continue;
    }
    const bucket = ancient(updater);
    const bucketId = managerId(bucket);
    const collected = capped.get(bucketId) ?? capped.get(first);
    if (!capped.has(bucketId)) capped.delete(first);
    capped.delete(id);
    capped.set(bucketId, {
      ...bucket,
      fields: collected === undefined ? updater.fields : union(updater.fields, collected.fields),
    });
    count--;
  }
  return capped;
}

/** The bucket has the time of the latest update in it. */
function ancient({ apiVersion, time, fields }: Ownership): Ownership {
  return { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '', time, fields };
}
