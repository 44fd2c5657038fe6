/** Takes from quotas what a write has been granted: their status, written by the server itself. */
import { timestamp } from '@keelson/core';
import type { QuotaCharge } from '../admit/resource-quota.ts';
import { updateManagedFields } from '../apply/index.ts';
import { type ApiObject, put } from '../object.ts';
import { keyIn } from '../resource/resource.ts';
import { ownManager } from '../resource/write.ts';
import type { WriteContext } from './write-context.ts';

const name = 'resourcequotas';

export function chargeQuotas(context: WriteContext, charges: readonly QuotaCharge[]): void {
  if (charges.length === 0) return;
  const resource = context.registry.all().find(({ collection }) => collection === name);
  const collection = context.store.collection(name);
  for (const { quota, namespace, used } of charges) {
    const existing = collection.get(keyIn(namespace, quota));
    if (existing === undefined || resource === undefined) continue;
    const charged = updateManagedFields({
      type: resource.strategy.objectType('status'),
      before: existing.object,
      after: put(existing.object, ['status', 'used'], used),
      manager: ownManager,
      subresource: 'status',
      now: timestamp(context.clock.now()),
    }) as ApiObject;
    context.store.update(collection, existing, charged);
  }
}
