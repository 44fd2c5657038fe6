/** The EndpointSlice mirroring controller: what somebody wrote into the Endpoints of a service without a selector, in slices. */
import { createWorkQueue } from '@keelson/client';
import { isNotFound, keyOf, type NamespacedName } from '@keelson/core';
import { EndpointSlice } from '@keelson/core/discovery/v1';
import { Endpoints, Service } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { isNamespaceTerminating, startLoop } from '../control-loop.ts';
import { managerLabel, serviceLabel } from '../endpointslice/slices.ts';
import { isMirrored, maxAddresses, mirrorChanges, mirroredBy } from './mirrors.ts';

const byEndpoints = {
  endpoints: ({ metadata }: EndpointSlice): readonly NamespacedName[] =>
    metadata.labels?.[managerLabel] === mirroredBy
      ? [`${metadata.namespace}/${metadata.labels[serviceLabel] ?? ''}`]
      : [],
};

export function startEndpointSliceMirroring(context: ControllerContext): RunningController {
  const { client, informers, signal, clock } = context;
  const recorder = context.recorder('endpoint-slice-mirroring-controller');
  const queue = createWorkQueue({ clock, baseDelayMs: 1000, maxDelayMs: 100_000 });
  const all = informers.informer(Endpoints);
  const services = informers.informer(Service);
  const slices = informers.informer(EndpointSlice, { indexes: byEndpoints });
  all.subscribe(({ object }) => queue.add(keyOf(object)), { signal });
  services.subscribe(({ object }) => queue.add(keyOf(object)), { signal });
  slices.subscribe(
    ({ object }) => {
      // What somebody else did to a slice is undone.
      for (const key of byEndpoints.endpoints(object)) queue.add(key);
    },
    { signal },
  );

  const remove = async (slice: EndpointSlice) => {
    try {
      await client.delete(EndpointSlice, keyOf(slice));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const mirror = async (endpoints: Endpoints, existing: readonly EndpointSlice[]) => {
    const changes = mirrorChanges(endpoints, existing);
    if (changes.skipped > 0) {
      recorder.event(endpoints, {
        type: 'Warning',
        reason: 'TooManyAddressesToMirror',
        message: `A max of ${maxAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset. ${changes.skipped} addresses were skipped`,
      });
    }
    if (endpoints.metadata.deletionTimestamp === undefined) {
      for (const slice of changes.create) await client.create(EndpointSlice, slice);
    }
    for (const slice of changes.update) await client.update(EndpointSlice, slice);
    for (const slice of changes.remove) await remove(slice);
  };

  return startLoop(context, {
    name: 'endpointslice-mirroring',
    queue,
    informers: [all, services, slices],
    async sync(text) {
      const key = text as NamespacedName;
      const endpoints = all.store.get(key);
      const service = services.store.get(key);
      const existing = slices.store
        .byIndex('endpoints', key)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const isWanted = endpoints && service && isMirrored(endpoints) && service.spec.selector === undefined;
      try {
        if (isWanted) await mirror(endpoints, existing);
        else for (const slice of existing) await remove(slice);
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    },
  });
}
