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
  const priority = priorityClass?.value ?? 0;
  const preemptionPolicy = priorityClass?.preemptionPolicy ?? 'PreemptLowerPriority';
  assertSame(pod, 'integer value of priority', spec.priority, priority);
  assertSame(pod, 'string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy);
  return {
    ...pod,
    spec: {
      ...spec,
      ...(priorityClass !== undefined && { priorityClassName: priorityClass.metadata.name }),
      priority,
      preemptionPolicy,
    },
  };
}

function assertSame(pod: ApiObject, what: string, given: unknown, computed: unknown): void {
  if (given === undefined || given === computed) return;
  const why = `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
  throw forbidden({ group: '', name: 'pods' }, pod.metadata.name ?? '', why);
}
