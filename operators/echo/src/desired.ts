/** What should exist for an Echo and a ScheduledEcho: pure functions to the objects they stand for. */
import { controllerReference } from '@keelson/core';
import type { JobSpec, NewCronJob, NewJob } from '@keelson/core/batch/v1';
import { Echo, ScheduledEcho } from './api/v1alpha1.ts';

/** By which the operator finds its children, and no others. */
export const childLabels = { 'app.kubernetes.io/managed-by': 'echo-operator' } as const;

/** A generation is a message, and a message is a Job: a Job cannot change, so that another message is another one. */
export function jobName({ metadata }: Echo): string {
  return `${metadata.name}-${metadata.generation ?? 1}`;
}

/** The Job has no time to live yet: it gets one when its end is in the status, so that no end goes unseen. */
export function desiredJob(echo: Echo, image: string): NewJob {
  const { name, namespace } = echo.metadata;
  return {
    metadata: {
      name: jobName(echo),
      namespace,
      labels: { ...childLabels, 'app.kubernetes.io/name': 'echo', 'app.kubernetes.io/instance': name },
      ownerReferences: [controllerReference(Echo, echo)],
    },
    spec: printing(echo.spec.message, image),
  };
}

export function desiredCronJob(echo: ScheduledEcho, image: string): NewCronJob {
  const { name, namespace } = echo.metadata;
  const { schedule, timeZone, suspend = false, message } = echo.spec;
  const labels = { ...childLabels, 'app.kubernetes.io/name': 'scheduledecho', 'app.kubernetes.io/instance': name };
  return {
    metadata: { name, namespace, labels, ownerReferences: [controllerReference(ScheduledEcho, echo)] },
    spec: {
      schedule,
      ...(timeZone !== undefined && { timeZone }),
      suspend,
      concurrencyPolicy: 'Forbid',
      jobTemplate: { metadata: { labels: withoutManager(labels) }, spec: printing(message, image) },
    },
  };
}

/** A Job of a CronJob is the CronJob's child, not ours. */
function withoutManager({ 'app.kubernetes.io/managed-by': _, ...labels }: Readonly<Record<string, string>>) {
  return labels;
}

/** A Job whose one pod prints the message, under the restricted Pod Security Standard. */
function printing(message: string, image: string): JobSpec {
  return {
    backoffLimit: 6,
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'echo',
            image,
            imagePullPolicy: 'IfNotPresent',
            // The kubelet expands $(NAME) in commands, and makes one $ of two.
            command: ['echo', message.replaceAll('$', '$$$$')],
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    },
  };
}
