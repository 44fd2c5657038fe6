/** The pods in which servers run: a pure function from the custom resource to their template. */
import type { Labels } from '@keelson/core';
import type { PodTemplateSpec, ResourceRequirements } from '@keelson/core/v1';
import type { Memcached } from './api/v1alpha1.ts';

export const port = 11211;

const defaultImage = 'memcached:1.6.26-alpine3.19';
const defaultMemory = '64Mi';

// What the server would fill in is named where a hand could change it: an unnamed field is others' business.
const probe = { tcpSocket: { port }, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };

/** The template of pods with these labels. Fields that the user leaves out stay out, so that no pod is replaced. */
export function desiredPod({ spec }: Memcached, labels: Labels): PodTemplateSpec {
  const { image = defaultImage, args = [], nodeSelector, tolerations, affinity, priorityClassName } = spec;
  const itemMemory = mebibytes(spec.memoryLimit ?? defaultMemory);
  return {
    metadata: {
      labels: { ...spec.podLabels, ...labels },
      ...(spec.podAnnotations && { annotations: spec.podAnnotations }),
    },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(affinity && { affinity }),
      ...(spec.topologySpreadConstraints && {
        // Without a selector, a constraint would count no pods at all.
        topologySpreadConstraints: spec.topologySpreadConstraints.map((each) => ({
          labelSelector: { matchLabels: labels },
          ...each,
        })),
      }),
      ...(priorityClassName !== undefined && { priorityClassName }),
      containers: [
        {
          name: 'memcached',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['memcached', `--memory-limit=${itemMemory}`, '-o', 'modern', '-v', ...args],
          ports: [{ name: 'memcached', containerPort: port, protocol: 'TCP' }],
          resources: resourcesFor(itemMemory, spec.resources),
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
  };
}

/**
 * What a pod asks for. Beside its items a server holds connections, buffers and its hash table: as much again for a
 * small one, a fifth and 100Mi for a large one. Of a resource with a limit and no request, the pod gets a request of
 * that limit from the API server.
 */
function resourcesFor(itemMemory: number, asked: ResourceRequirements = {}): ResourceRequirements {
  const memory = `${Math.min(2 * itemMemory, Math.ceil(1.2 * itemMemory) + 100)}Mi`;
  const defaults = Object.entries({ cpu: '100m', memory }).filter(([name]) => asked.limits?.[name] === undefined);
  return { ...asked, requests: { ...Object.fromEntries(defaults), ...asked.requests } };
}

/** `64Mi` or `1Gi`, as the schema has it. */
function mebibytes(memoryLimit: string): number {
  return Number.parseInt(memoryLimit, 10) * (memoryLimit.endsWith('Gi') ? 1024 : 1);
}
