/** What should exist for a Memcached: pure functions from the custom resource to the objects it stands for. */
import type { Labels } from '@keelson/core';
import type { NewDeployment, NewStatefulSet } from '@keelson/core/apps/v1';
import type { NewPodDisruptionBudget } from '@keelson/core/policy/v1';
import type { NewService, PodTemplateSpec } from '@keelson/core/v1';
import type { Memcached } from './api/memcached.ts';
import { desiredPod, port } from './desired-pod.ts';

/**
 * Which pods belong to a Memcached. The instance keeps two of them in one namespace apart, the manager keeps out pods that
 * someone else made with the recommended labels.
 */
export function podsOf({ metadata }: Memcached): { readonly namespace: string; readonly labels: Labels } {
  return {
    namespace: metadata.namespace,
    labels: {
      'app.kubernetes.io/name': 'memcached',
      'app.kubernetes.io/instance': metadata.name,
      'app.kubernetes.io/managed-by': 'memcached-operator',
    },
  };
}

/** The pods that a Memcached asks for. */
export const desiredTemplate = (memcached: Memcached): PodTemplateSpec =>
  desiredPod(memcached, podsOf(memcached).labels);

/** With another template than the one that is asked for, as long as that one has to wait. */
export function desiredDeployment(memcached: Memcached, template = desiredTemplate(memcached)): NewDeployment {
  const { labels } = podsOf(memcached);
  const { minReadySeconds } = memcached.spec.rollout ?? {};
  return {
    metadata: { name: memcached.metadata.name, labels },
    spec: {
      replicas: memcached.spec.size,
      selector: { matchLabels: labels },
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      progressDeadlineSeconds: 600 + (minReadySeconds ?? 0),
      // There are never more servers than asked for, also while a new template is rolled out.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template,
    },
  };
}

/** Its pods have names that stay. Which of them a new template may replace is what the partition says. */
export function desiredStatefulSet(
  memcached: Memcached,
  partition: number,
  template = desiredTemplate(memcached),
): NewStatefulSet {
  const { labels } = podsOf(memcached);
  const { name } = memcached.metadata;
  const { minReadySeconds } = memcached.spec.rollout ?? {};
  return {
    metadata: { name, labels },
    spec: {
      replicas: memcached.spec.size,
      serviceName: name,
      // Servers know nothing of each other: none has to wait for another to start.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
      template,
    },
  };
}

/** Where clients find the servers: each by its own name, or all by one. */
export function endpointsOf({ metadata, spec }: Memcached): readonly string[] {
  const service = `${metadata.name}.${metadata.namespace}.svc:${port}`;
  if (spec.workload === 'Deployment') return [service];
  return Array.from({ length: spec.size }, (_, ordinal) => `${metadata.name}-${ordinal}.${service}`);
}

/** Where clients find the servers: a name that stands for all their addresses, and an SRV record for the port. */
export function desiredService(memcached: Memcached): NewService {
  const { labels } = podsOf(memcached);
  return {
    metadata: { name: memcached.metadata.name, labels },
    spec: {
      clusterIP: 'None',
      // A server that is not ready for a moment stays a member: else the clients would spread their keys anew.
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [{ name: 'memcached', port, protocol: 'TCP', targetPort: 'memcached' }],
    },
  };
}

/** Nodes are drained one server at a time unless the user allows more, since each one takes its part of the cache with it. */
export function desiredPodDisruptionBudget(memcached: Memcached): NewPodDisruptionBudget {
  const { labels } = podsOf(memcached);
  return {
    metadata: { name: memcached.metadata.name, labels },
    spec: { maxUnavailable: memcached.spec.availability?.maxUnavailable ?? 1, selector: { matchLabels: labels } },
  };
}
