/** The priority of a pod is a number: that of its class, of the default class, or zero. */
import type { PriorityClass } from '@keelson/core/scheduling/v1';
import { type ApiObject, type JsonObject, readAs } from '../object.ts';
import { forbidden } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const collection = 'priorityclasses.scheduling.k8s.io';

export function podPriority({ objects }: AdmissionContext, pod: ApiObject): ApiObject {
  const spec = pod.spec as JsonObject;
  const name = spec.priorityClassName as string | undefined;
  const found =
    name === undefined
      ? [...objects.list(collection)].find((each) => readAs<PriorityClass>(each).globalDefault === true)
      : objects.find(collection, name);
  const priorityClass = found && readAs<PriorityClass>(found);
  if (name !== undefined && priorityClass === undefined) {
    throw forbidden(
      { group: '', name: 'pods' },
      pod.metadata.name ?? '',
      `no PriorityClass with name ${name} was found`,
    );
  }
  return {
    ...pod,
    spec: {
      ...spec,
      ...(priorityClass !== undefined && { priorityClassName: priorityClass.metadata.name }),
      priority: priorityClass?.value ?? 0,
      preemptionPolicy: priorityClass?.preemptionPolicy ?? 'PreemptLowerPriority',
    },
  };
}
