/** The pods in which servers run: a pure function from the custom resource to their template. */
import { compareQuantities, type Labels, parseQuantity } from '@keelson/core';
import type { Affinity, PodTemplateSpec, ResourceRequirements, TopologySpreadConstraint } from '@keelson/core/v1';
import type { Memcached } from './api/memcached.ts';

export const port = 11211;

export const defaultImage = 'memcached:1.6.26-alpine3.19';
const defaultMemory = '64Mi';
const zone = 'topology.kubernetes.io/zone';

type Spec = Memcached['spec'];

// What the server would fill in is named where a hand could change it: an unnamed field is others' business.
const probe = { tcpSocket: { port }, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };

/** The template of pods with these labels. Fields that the user leaves out stay out, so that no pod is replaced. */
export function desiredPod({ spec }: Memcached, labels: Labels): PodTemplateSpec {
  const { image = defaultImage, pod = {} } = spec;
  const { nodeSelector, tolerations, priorityClassName, serviceAccountName, imagePullSecrets, volumes, volumeMounts } =
    pod;
  const affinity = desiredAffinity(spec, labels);
  const topologySpreadConstraints = desiredSpread(spec, labels);
  return {
    metadata: {
      labels: { ...pod.labels, ...labels },
      ...(pod.annotations && { annotations: pod.annotations }),
    },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(affinity && { affinity }),
      ...(topologySpreadConstraints && { topologySpreadConstraints }),
      ...(priorityClassName !== undefined && { priorityClassName }),
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      ...(imagePullSecrets && { imagePullSecrets }),
      ...(volumes && { volumes }),
      containers: [
        {
          name: 'memcached',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: commandOf(spec),
          ports: [{ name: 'memcached', containerPort: port, protocol: 'TCP' }],
          resources: desiredResources(spec),
          ...(volumeMounts && { volumeMounts }),
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

function commandOf({ memory = defaultMemory, config = {} }: Spec): readonly string[] {
  const { maxConnections, threads, maxItemSize, extraArgs = [] } = config;
  return [
    'memcached',
    `--memory-limit=${mebibytes(memory)}`,
    '-o',
    'modern',
    '-v',
    ...(maxConnections === undefined ? [] : [`--conn-limit=${maxConnections}`]),
    ...(threads === undefined ? [] : [`--threads=${threads}`]),
    ...(maxItemSize === undefined ? [] : [`--max-item-size=${mebibytes(maxItemSize)}m`]),
    ...extraArgs,
  ];
}

/**
 * What a pod asks for and may use. Beside its items a server holds connections, buffers and its hash table: as much again
 * for a small one, a fifth and 100Mi for a large one. Of a resource with a limit and no request, the pod gets a request
 * of that limit from the API server. A limit follows from `memory` where the user says that, and names no limits.
 */
function desiredResources({ memory, pod }: Spec): ResourceRequirements {
  const asked = pod?.resources ?? {};
  const items = mebibytes(memory ?? defaultMemory);
  const needed = Math.min(2 * items, Math.ceil(1.2 * items) + 100);
  const defaults = Object.entries({ cpu: '100m', memory: `${needed}Mi` }).filter(
    ([name]) => asked.limits?.[name] === undefined,
  );
  const requests = { ...Object.fromEntries(defaults), ...asked.requests };
  if (memory === undefined) return { ...asked, requests };
  const { limits, ...others } = asked;
  if (limits !== undefined) return { ...others, ...(Object.keys(limits).length > 0 && { limits }), requests };
  const limit = `${Math.max(needed, Math.ceil(1.5 * items))}Mi`;
  return { ...others, requests, limits: { memory: larger(limit, String(requests.memory)) } };
}

const larger = (a: string, b: string) => (compareQuantities(parseQuantity(a), parseQuantity(b)) < 0 ? b : a);

/** A number of `Mi` or `Gi`, as the schema has it. */
function mebibytes(quantity: string): number {
  return Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 1024 : 1);
}

/** Servers keep off each other's nodes if that was asked for; the schema sees to it that nobody says two things about it. */
function desiredAffinity({ availability, pod }: Spec, labels: Labels): Affinity | undefined {
  const { antiAffinity = 'None' } = availability ?? {};
  if (antiAffinity === 'None') return pod?.affinity;
  const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const podAntiAffinity =
    antiAffinity === 'Required'
      ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] };
  return { ...pod?.affinity, podAntiAffinity };
}

/** Without a selector, a constraint would count no pods at all. What the user says about zones goes before `zoneSpread`. */
function desiredSpread({ availability, pod }: Spec, labels: Labels): readonly TopologySpreadConstraint[] | undefined {
  const labelSelector = { matchLabels: labels };
  const asked = pod?.topologySpreadConstraints?.map((each) => ({ labelSelector, ...each }));
  if (!availability?.zoneSpread || asked?.some(({ topologyKey }) => topologyKey === zone)) return asked;
  return [...(asked ?? []), { labelSelector, maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'ScheduleAnyway' }];
}
