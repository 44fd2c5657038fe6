/** The service account controller: every active namespace has a ServiceAccount `default`, whoever deletes it. */
import { createWorkQueue } from '@keelson/client';
import { isAlreadyExists, keyOf } from '@keelson/core';
import { Namespace, ServiceAccount } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';

const name = 'default';

export function startServiceAccountController(context: ControllerContext): RunningController {
  const { client, informers, clock, signal } = context;
  const queue = createWorkQueue({ clock });
  const namespaces = informers.informer(Namespace);
  const accounts = informers.informer(ServiceAccount, { fields: `metadata.name=${name}` });
  namespaces.subscribe(({ object }) => queue.add(keyOf(object)), { signal });
  accounts.subscribe(
    ({ type, object }) => {
      if (type === 'deleted') queue.add(object.metadata.namespace);
    },
    { signal },
  );
  const sync = async (namespace: string): Promise<void> => {
    const isActive = namespaces.store.get(namespace)?.status.phase === 'Active';
    if (!isActive || accounts.store.get(`${namespace}/${name}`)) return;
    try {
      await client.create(ServiceAccount, { metadata: { namespace, name } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  };
  return startLoop(context, { name: 'serviceaccount', queue, informers: [namespaces, accounts], sync });
}
