/** Tells a controller of endpoints which services to look at, when they or their pods change. */
import { createWorkQueue, type Informer, type InformerHandle } from '@keelson/client';
import { keyOf, type NamespacedName } from '@keelson/core';
import { Pod, Service } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { isMoved, isServed, selects } from './serving-pods.ts';

export interface ServiceLoop {
  readonly name: string;
  readonly informers: readonly Pick<Informer, 'synced'>[];
  /** `undefined` when the service is gone; its pods are those that it selects. */
  readonly sync: (key: NamespacedName, service: Service | undefined, pods: readonly Pod[]) => Promise<void>;
}

/** Adds a service by its key, for other changes that concern it. */
export type Enqueue = (key: NamespacedName) => void;

export function startServiceLoop(
  context: ControllerContext,
  make: (enqueue: Enqueue) => ServiceLoop,
): RunningController {
  const { informers, signal, clock } = context;
  const queue = createWorkQueue({ clock });
  const services: InformerHandle<Service> = informers.informer(Service);
  const pods: InformerHandle<Pod> = informers.informer(Pod);
  services.subscribe(({ object }) => queue.add(keyOf(object)), { signal });
  pods.subscribe(
    (event) => {
      const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
      if (event.type === 'updated' && !isMoved(event.previous, event.object)) return;
      for (const service of services.store.list({ namespace: event.object.metadata.namespace })) {
        if (isServed(service) && states.some((pod) => selects(service, pod))) queue.add(keyOf(service));
      }
    },
    { signal },
  );
  const loop = make((key) => queue.add(key));
  return startLoop(context, {
    name: loop.name,
    queue,
    informers: [services, pods, ...loop.informers],
    sync: async (key) => {
      const service = services.store.get(key);
      if (service && !isServed(service)) return;
      const { namespace } = service?.metadata ?? {};
      const serving = service ? pods.store.list({ namespace }).filter((pod) => selects(service, pod)) : [];
      await loop.sync(key, service, serving);
    },
  });
}
