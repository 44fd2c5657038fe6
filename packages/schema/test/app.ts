/** A kind with a pod template, and a template that uses what pods are made of. */
import { defineKind } from '@keelson/schema';
import { PersistentVolumeClaimTemplate, PodTemplateSpec, ServiceSpec } from '@keelson/schema/v1';
import { z } from 'zod';

export const App = defineKind({
  group: 'apps.example.com',
  kind: 'App',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        template: PodTemplateSpec,
        service: ServiceSpec.optional(),
        claims: z.array(PersistentVolumeClaimTemplate).optional(),
      }),
    },
  },
});

export const template = {
  metadata: { labels: { app: 'web' }, annotations: { note: 'x' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        ports: [{ containerPort: 80, name: 'http', protocol: 'TCP' }],
        env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web', key: 'token' } } }],
        resources: { limits: { memory: '64Mi', cpu: 1 } },
        readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
    tolerations: [{ operator: 'Exists', effect: '' }],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } } },
        ],
      },
    },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    imagePullSecrets: [{ name: 'pull' }],
  },
};
