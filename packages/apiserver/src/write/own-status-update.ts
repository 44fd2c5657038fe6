/** A change that the server makes to a status of itself: owned and checked like any other, with no request behind it. */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import type { ApiObject } from '../object.ts';
import { administrator } from '../request/user.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import { updateNow } from './update.ts';
import type { WriteContext } from './write-context.ts';

/** Under which the server owns what it writes by itself. */
export const ownManager = 'kube-apiserver';

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
  const write = {
    user: administrator,
    verb: 'update',
    resource,
    subresource: 'status',
    namespace,
    name,
    manager: ownManager,
    dryRun: false,
    warnings: [],
  };
  const old = strategy.fromStorage(existing.object);
  const changed = updateManagedFields({
    type: strategy.objectType('status'),
    before: old,
    after: change(old),
    manager: ownManager,
    subresource: 'status',
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  updateNow(context, write, { rules, mayCreate: false, build: () => changed }, { existing, old });
}
