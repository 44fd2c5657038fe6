/** The Endpoints controller: the addresses of the pods behind each service that has a selector, in one object. */
import { equalJson, isForbidden, isNotFound, type NamespacedName } from '@keelson/core';
import { Endpoints, type Pod, type Service } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { isNamespaceTerminating } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { startServiceLoop } from '../service/service-loop.ts';
import { headlessLabel, isHeadless } from '../service/serving-pods.ts';
import { TriggerTimes, triggerAnnotation } from '../service/trigger-times.ts';
import { isSame, subsetsOf } from './subsets.ts';

const managedBy = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };

export function startEndpointsController(context: ControllerContext): RunningController {
  const { client, informers } = context;
  const recorder = context.recorder('endpoint-controller');
  const all = informers.informer(Endpoints);
  const times = new TriggerTimes();

  const remove = async (key: NamespacedName) => {
    times.forget(key);
    if (!all.store.get(key)) return;
    try {
      await client.delete(Endpoints, key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const write = async (service: Service, pods: readonly Pod[], time: string | undefined) => {
    const { name, namespace } = service.metadata;
    const current = all.store.get(`${namespace}/${name}`);
    const subsets = subsetsOf(service, pods);
    const labels = labelsFor(service);
    if (current && isSame(current.subsets, subsets) && equalJson(current.metadata.labels, labels)) return;
    const { [triggerAnnotation]: _, ...others } = current?.metadata.annotations ?? {};
    const annotations = { ...others, ...(time ? { [triggerAnnotation]: time } : {}) };
    const metadata = { ...(current?.metadata ?? { name, namespace }), labels, annotations };
    if (current) await client.update(Endpoints, { ...current, metadata, subsets });
    else await client.create(Endpoints, { metadata, subsets });
  };

  return startServiceLoop(context, () => ({
    name: 'endpoint',
    informers: [all],
    async sync(key, service, pods) {
      if (!service) return remove(key);
      const isNew = all.store.get(key) === undefined;
      try {
        await write(service, pods, times.next(key, service, pods));
      } catch (error) {
        if (isForbidden(error) && isNamespaceTerminating(error)) return;
        const [verb, reason] = isNew ? ['create', 'FailedToCreateEndpoint'] : ['update', 'FailedToUpdateEndpoint'];
        const what = isNew ? `endpoint for service ${key}` : `endpoint ${key}`;
        recorder.event(service, { type: 'Warning', reason, message: `Failed to ${verb} ${what}: ${reasonOf(error)}` });
        throw error;
      }
    },
  }));
}

function labelsFor(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [headlessLabel]: '' } : {}), ...managedBy };
}
