/** What should exist for a Memcached: pure functions from the custom resource to the objects it stands for. */
import type { Labels } from '@keelson/core';
import type { NewDeployment } from '@keelson/core/apps/v1';
import type { NewPodDisruptionBudget } from '@keelson/core/policy/v1';
import type { NewService } from '@keelson/core/v1';
import type { Memcached } from './api/v1alpha1.ts';

const image = 'memcached:1.6.26-alpine3.19';
const port = 11211;

/** What a server may use for items. It needs about as much again for connections, buffers and its hash table. */
const itemMemoryMi = 64;

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

// What the server would fill in is named where a hand could change it: an unnamed field is others' business.
const probe = { tcpSocket: { port }, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };

export function desiredDeployment(memcached: Memcached): NewDeployment {
  const { labels } = podsOf(memcached);
  return {
    metadata: { name: memcached.metadata.name, labels },
    spec: {
      replicas: memcached.spec.size,
      selector: { matchLabels: labels },
      progressDeadlineSeconds: 600,
      // There are never more servers than asked for, also while a new template is rolled out.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 30,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'memcached',
              image,
              imagePullPolicy: 'IfNotPresent',
              command: ['memcached', `--memory-limit=${itemMemoryMi}`, '-o', 'modern', '-v'],
              ports: [{ name: 'memcached', containerPort: port, protocol: 'TCP' }],
              resources: { requests: { cpu: '100m', memory: `${2 * itemMemoryMi}Mi` } },
              readinessProbe: { ...probe, periodSeconds: 5 },
              // A restart loses the whole cache, so it is the last resort and slower than readiness.
              livenessProbe: { ...probe, initialDelaySeconds: 30, periodSeconds: 10 },
              securityContext: {
                runAsNonRoot: true,
                runAsUser: 1001,
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
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

/** Nodes are drained one server at a time, since each one takes its part of the cache with it. */
export function desiredPodDisruptionBudget(memcached: Memcached): NewPodDisruptionBudget {
  const { labels } = podsOf(memcached);
  return {
    metadata: { name: memcached.metadata.name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
