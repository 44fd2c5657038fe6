/** What should exist for a Cache: field by field what the Go operator describes (go/desired.go). */
import type { Labels } from '@keelson/core';
import type { NewDeployment } from '@keelson/core/apps/v1';
import type { Cache } from './api.ts';

const port = 11211;

export const serverLabels = { 'app.kubernetes.io/name': 'cache' };
export const instanceLabel = 'app.kubernetes.io/instance';

export function labelsOf({ metadata }: Cache): Labels {
  return { ...serverLabels, [instanceLabel]: metadata.name, 'app.kubernetes.io/managed-by': 'bench-operator' };
}

const probe = { tcpSocket: { port }, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };

export function desiredDeployment(cache: Cache): NewDeployment {
  const labels = labelsOf(cache);
  return {
    metadata: { name: cache.metadata.name, labels },
    spec: {
      replicas: cache.spec.size,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'cache',
              image: 'memcached:1.6.26-alpine3.19',
              imagePullPolicy: 'IfNotPresent',
              command: ['memcached', '--memory-limit=64', '-o', 'modern', '-v'],
              ports: [{ name: 'cache', containerPort: port, protocol: 'TCP' }],
              resources: { requests: { cpu: '1m', memory: '1Mi' } },
              readinessProbe: { ...probe, periodSeconds: 5 },
              livenessProbe: { ...probe, initialDelaySeconds: 30, periodSeconds: 10 },
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
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
