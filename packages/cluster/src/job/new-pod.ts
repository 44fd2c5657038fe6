/** The pod that a Job makes: from its template, tracked and, in an Indexed Job, told its index. */
import { withFinalizer } from '@keelson/core';
import { Job } from '@keelson/core/batch/v1';
import type { Container, NewPod, Pod, PodSpec } from '@keelson/core/v1';
import { podFromTemplate } from '../pod-from-template.ts';
import { isCounted } from './failure-policy.ts';
import {
  failureCountName,
  failuresBefore,
  ignoredFailureCountName,
  ignoredFailuresBefore,
  indexName,
  trackingFinalizer,
} from './pods.ts';
import { hasLimitPerIndex } from './view.ts';

/** `replaced` is the pod of this index that has failed before, if one has. */
export function newPod(job: Job, index: number | undefined, replaced?: Pod): NewPod {
  const pod = withFinalizer(podFromTemplate(Job, job, job.spec.template), trackingFinalizer);
  if (index === undefined) return pod;
  const failures = hasLimitPerIndex(job) ? failureCounts(job, replaced) : {};
  const { metadata, spec } = pod;
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: nameBegin(job.metadata.name, index),
      annotations: { ...metadata.annotations, [indexName]: `${index}`, ...failures },
      labels: { ...metadata.labels, [indexName]: `${index}` },
    },
    spec: { ...withIndexVariable(spec ?? { containers: [] }), hostname: `${job.metadata.name}-${index}` },
  };
}

/** The index is never cut off: what is too long is the name of the Job. */
function nameBegin(name: string, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, Math.max(0, 58 - end.length))}${end}`;
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(withVariable),
    ...(initContainers ? { initContainers: initContainers.map(withVariable) } : {}),
  };
}

const variable = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexName}']` } },
};

function withVariable(container: Container): Container {
  const { env = [] } = container;
  return env.some(({ name }) => name === variable.name) ? container : { ...container, env: [...env, variable] };
}

/** A pod says how often its index has failed before it, so that the count outlives the failed pods. */
function failureCounts(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (!replaced) return { [failureCountName]: '0' };
  const counts = isCounted(job.spec.podFailurePolicy, replaced);
  const ignored = ignoredFailuresBefore(replaced) + (counts ? 0 : 1);
  return {
    [failureCountName]: `${failuresBefore(replaced) + (counts ? 1 : 0)}`,
    ...(ignored > 0 ? { [ignoredFailureCountName]: `${ignored}` } : {}),
  };
}
