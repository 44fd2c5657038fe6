/** A change that the server makes to a status of itself: owned and checked like any other, with no request behind it. */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import type { ApiObject } from '../object.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import { ownWrite } from '../resource/write.ts';
import { updateNow } from './update.ts';
import type { WriteContext } from './write-context.ts';

/** Does not wait for admitters, which are asked about the request that leads to this. */
export function updateOwnStatus(
  context: WriteContext,
  resource: Resource,
  namespace: string,
  name: string,
  change: (old: ApiObject) => ApiObject,
): void {
  const { strategy } = resource;
  const rules = strategy.updates('status');
  const existing = context.store.collection(resource.collection).get(keyIn(namespace, name));
  if (rules === undefined || existing === undefined) throw new Error(`${resource.resource} ${name} has no status`);
  const write = ownWrite({ verb: 'update', resource, subresource: 'status' }, { namespace, name });
  const old = strategy.fromStorage(existing.object);
  const changed = updateManagedFields({
    type: strategy.objectType('status'),
    before: old,
    after: change(old),
    manager: write.manager,
    subresource: 'status',
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  updateNow(context, write, { rules, mayCreate: false, build: () => changed }, { existing, old });
}
