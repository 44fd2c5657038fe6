/**
 * What differs between v1alpha1 and v1, where the same is said in other words. What v1alpha1 cannot say goes along.
 *
 * Promise: the pods of an object are the same, whichever version it was written in. v1alpha1 has no limits but those
 * that it names, where v1 lets one follow from `memory`: so an object of v1alpha1 with `memoryLimit` names all its limits
 * in v1, and be it none.
 */
import type { ResourceRequirements } from '@keelson/core/v1';
import type { VersionConversion } from '@keelson/schema';
import type { v1 } from './v1.ts';
import type { v1alpha1 } from './v1alpha1.ts';

export const conversion: VersionConversion<typeof v1alpha1, typeof v1> = {
  toHub: ({ spec }) => ({
    spec: {
      memory: spec.memoryLimit,
      config: given({ extraArgs: spec.args }),
      pod: given({
        labels: spec.podLabels,
        annotations: spec.podAnnotations,
        nodeSelector: spec.nodeSelector,
        tolerations: spec.tolerations,
        affinity: spec.affinity,
        topologySpreadConstraints: spec.topologySpreadConstraints,
        priorityClassName: spec.priorityClassName,
        resources: spec.memoryLimit === undefined ? spec.resources : { limits: {}, ...spec.resources },
      }),
    },
  }),
  fromHub: ({ spec: { memory, config, pod = {} } }) => ({
    spec: {
      memoryLimit: memory,
      args: config?.extraArgs,
      podLabels: pod.labels,
      podAnnotations: pod.annotations,
      nodeSelector: pod.nodeSelector,
      tolerations: pod.tolerations,
      affinity: pod.affinity,
      topologySpreadConstraints: pod.topologySpreadConstraints,
      priorityClassName: pod.priorityClassName,
      resources: memory === undefined ? pod.resources : withoutEmptyLimits(pod.resources),
    },
  }),
};

/** With `memoryLimit`, to name no limits is what v1alpha1 has by itself. */
function withoutEmptyLimits({ limits, ...others }: ResourceRequirements = {}): ResourceRequirements | undefined {
  return given({ ...others, limits: Object.keys(limits ?? {}).length === 0 ? undefined : limits });
}

/** The object, if any of its fields is there. */
function given<T extends object>(fields: T): T | undefined {
  return Object.values(fields).some((each) => each !== undefined) ? fields : undefined;
}
