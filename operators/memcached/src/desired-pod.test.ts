import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec, ResourceRequirements } from '@keelson/core/v1';
import { memcached } from '../test/fixtures.ts';
import { podsOf } from './desired.ts';
import { desiredPod } from './desired-pod.ts';

const template = (fields: Parameters<typeof memcached>[0] = {}) => {
  const asked = memcached(fields);
  return desiredPod(asked, podsOf(asked).labels);
};
const container = (fields: Parameters<typeof memcached>[0] = {}) => template(fields).spec?.containers[0];

test('the pods meet the restricted Pod Security Standard', () => {
  const pod = template().spec;
  const [server] = pod?.containers ?? [];
  assert.equal(pod?.securityContext?.runAsNonRoot, true);
  assert.equal(pod?.securityContext?.seccompProfile?.type, 'RuntimeDefault');
  assert.equal(pod?.automountServiceAccountToken, false);
  assert.equal(server?.securityContext?.allowPrivilegeEscalation, false);
  assert.deepEqual(server?.securityContext?.capabilities?.drop, ['ALL']);
});

test('the server has its image, command, port and resources', () => {
  const server = container();
  assert.equal(server?.image, 'memcached:1.6.26-alpine3.19');
  assert.deepEqual(server?.command, ['memcached', '--memory-limit=64', '-o', 'modern', '-v']);
  assert.deepEqual(server?.ports, [{ name: 'memcached', containerPort: 11211, protocol: 'TCP' }]);
  assert.deepEqual(server?.resources, { requests: { cpu: '100m', memory: '128Mi' } });
});

const memory: readonly (readonly [memory: string | undefined, flag: string, resources: readonly unknown[]])[] = [
  [undefined, '--memory-limit=64', ['128Mi', undefined]],
  ['64Mi', '--memory-limit=64', ['128Mi', '128Mi']],
  ['1Gi', '--memory-limit=1024', ['1329Mi', '1536Mi']],
  ['125Mi', '--memory-limit=125', ['250Mi', '250Mi']],
  ['126Mi', '--memory-limit=126', ['252Mi', '252Mi']],
  ['401Mi', '--memory-limit=401', ['582Mi', '602Mi']],
];

test('the memory of the server, and request and limit of its pod, follow from one number', () => {
  for (const [asked, flag, made] of memory) {
    const { command, resources } = container({ memory: asked }) ?? {};
    assert.equal(command?.[1], flag);
    assert.deepEqual([resources?.requests?.memory, resources?.limits?.memory], made, asked);
  }
});

type Resources = readonly (readonly [what: string, asked: ResourceRequirements, made: ResourceRequirements])[];

const resources: Resources = [
  [
    'a request replaces ours, and leaves the other',
    { requests: { memory: '1Gi' } },
    { requests: { cpu: '100m', memory: '1Gi' } },
  ],
  [
    'a limit without a request is asked for whole, as the API server has it',
    { limits: { memory: '100Mi' } },
    { limits: { memory: '100Mi' }, requests: { cpu: '100m' } },
  ],
  [
    'other resources pass through',
    { limits: { 'example.com/gpu': '1' } },
    { limits: { 'example.com/gpu': '1' }, requests: { cpu: '100m', memory: '128Mi' } },
  ],
];

for (const [what, asked, made] of resources) {
  test(`resources: ${what}`, () => assert.deepEqual(container({ pod: { resources: asked } })?.resources, made));
}

const limits: Resources = [
  ['none that are named are none', { limits: {} }, { requests: { cpu: '100m', memory: '1329Mi' } }],
  ['those that are named are all', { limits: { cpu: '1' } }, { limits: { cpu: '1' }, requests: { memory: '1329Mi' } }],
  [
    'a request beyond ours moves the one that follows from memory',
    { requests: { memory: '2Gi' } },
    { limits: { memory: '2Gi' }, requests: { cpu: '100m', memory: '2Gi' } },
  ],
];

for (const [what, asked, made] of limits) {
  test(`limits: ${what}`, () =>
    assert.deepEqual(container({ memory: '1Gi', pod: { resources: asked } })?.resources, made));
}

test('what config says is in the command before the arguments of the user, and an image replaces ours', () => {
  const { command, image } =
    container({
      config: { maxConnections: 2048, threads: 8, maxItemSize: '2Mi', extraArgs: ['-R', '20'] },
      image: 'registry.local/memcached:2',
    }) ?? {};
  assert.deepEqual(command?.slice(5), ['--conn-limit=2048', '--threads=8', '--max-item-size=2m', '-R', '20']);
  assert.equal(image, 'registry.local/memcached:2');
});

test('what pods have beside the server is passed through as it is', () => {
  const fields = {
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'cache', operator: 'Exists' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    priorityClassName: 'high',
    serviceAccountName: 'cache',
    imagePullSecrets: [{ name: 'registry' }],
    volumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
  } as const;
  const volumeMounts = [{ name: 'tls', mountPath: '/tls' }];
  const { spec } = template({ pod: { ...fields, volumeMounts } });
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(spec?.[name as keyof PodSpec], value, name);
  assert.deepEqual(spec?.containers[0]?.volumeMounts, volumeMounts);
});

test('servers keep off each other’s nodes, if they can or in any case, beside what else the user says of nodes', () => {
  const term = { labelSelector: { matchLabels: podsOf(memcached()).labels }, topologyKey: 'kubernetes.io/hostname' };
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
  const made = (antiAffinity: 'None' | 'Preferred' | 'Required') =>
    template({ availability: { antiAffinity }, pod: { affinity } }).spec?.affinity;
  assert.deepEqual(made('None'), affinity);
  assert.deepEqual(made('Required'), {
    ...affinity,
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
  });
  assert.deepEqual(made('Preferred')?.podAntiAffinity, {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
  });
});

test('servers are spread over zones, unless the user says how', () => {
  const topologyKey = 'topology.kubernetes.io/zone';
  const own = { maxSkew: 2, topologyKey, whenUnsatisfiable: 'DoNotSchedule' } as const;
  const made = (asked?: readonly (typeof own)[]) =>
    template({
      availability: { zoneSpread: true },
      pod: { topologySpreadConstraints: asked },
    }).spec?.topologySpreadConstraints?.map(({ labelSelector: _, ...each }) => each);
  assert.deepEqual(made(), [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' }]);
  assert.deepEqual(made([own]), [own]);
});

test('a constraint without a selector counts the servers of this Memcached, one with a selector what it says', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' } as const;
  const own = { labelSelector: { matchLabels: { app: 'all' } } };
  const { spec } = template({
    pod: { topologySpreadConstraints: [constraint, { ...constraint, ...own }] },
  });
  assert.deepEqual(
    spec?.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector),
    [{ matchLabels: podsOf(memcached()).labels }, own.labelSelector],
  );
});

test('labels and annotations are added to the pods, and ours stay', () => {
  const mine = { 'app.kubernetes.io/name': 'mine', team: 'web' };
  const { metadata } = template({ pod: { labels: mine, annotations: { note: 'x' } } });
  assert.deepEqual(metadata?.labels, { team: 'web', ...podsOf(memcached()).labels });
  assert.deepEqual(metadata?.annotations, { note: 'x' });
});
