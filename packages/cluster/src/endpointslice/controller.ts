/** The EndpointSlice controller: the addresses of the pods behind each service that has a selector, in slices. */
import { isNotFound, keyOf } from '@keelson/core';
import { EndpointSlice, type NewEndpointSlice } from '@keelson/core/discovery/v1';
import { Node, type Service } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { isNamespaceTerminating } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { startServiceLoop } from '../service/service-loop.ts';
import { TriggerTimes, triggerAnnotation } from '../service/trigger-times.ts';
import { changesFor, managedBy, managerLabel, type SliceChanges, serviceLabel } from './slices.ts';

const isOurs = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[managerLabel] === managedBy;

const byService = {
  service: (slice: EndpointSlice): readonly string[] =>
    isOurs(slice) ? [`${slice.metadata.namespace}/${slice.metadata.labels?.[serviceLabel] ?? ''}`] : [],
};

export function startEndpointSliceController(context: ControllerContext): RunningController {
  const { client, informers, signal } = context;
  const recorder = context.recorder('endpoint-slice-controller');
  const slices = informers.informer(EndpointSlice, { indexes: byService });
  const nodes = informers.informer(Node);
  const times = new TriggerTimes();

  const carryOut = async (service: Service, { create, update, remove }: SliceChanges, time: string | undefined) => {
    if (service.metadata.deletionTimestamp === undefined) {
      for (const slice of create) await client.create(EndpointSlice, timed(slice, time));
    }
    for (const slice of update) await client.update(EndpointSlice, timed(slice, time));
    for (const slice of remove) {
      try {
        await client.delete(EndpointSlice, keyOf(slice));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  };

  return startServiceLoop(context, (enqueue) => {
    slices.subscribe(
      ({ object }) => {
        // What somebody else did to a slice is undone.
        for (const key of byService.service(object)) enqueue(key);
      },
      { signal },
    );
    return {
      name: 'endpointslice',
      informers: [slices, nodes],
      async sync(key, service, pods) {
        if (!service) return times.forget(key); // the garbage collector takes its slices
        const existing = slices.store.byIndex('service', key);
        const live = existing.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        const changes = changesFor(service, pods, (name) => nodes.store.get(name), live);
        const time = times.next(key, service, pods);
        try {
          await carryOut(service, changes, time);
        } catch (error) {
          if (isNamespaceTerminating(error)) return;
          const message = `Error updating Endpoint Slices for Service ${key}: ${reasonOf(error)}`;
          recorder.event(service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message });
          throw error;
        }
      },
    };
  });
}

function timed<T extends NewEndpointSlice | EndpointSlice>(slice: T, time: string | undefined): T {
  const { [triggerAnnotation]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = { ...others, ...(time ? { [triggerAnnotation]: time } : {}) };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
