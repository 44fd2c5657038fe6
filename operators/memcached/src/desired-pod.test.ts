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

const memory: readonly (readonly [memoryLimit: string | undefined, flag: string, request: string])[] = [
  [undefined, '--memory-limit=64', '128Mi'],
  ['64Mi', '--memory-limit=64', '128Mi'],
  ['1Gi', '--memory-limit=1024', '1329Mi'],
  ['125Mi', '--memory-limit=125', '250Mi'],
  ['126Mi', '--memory-limit=126', '252Mi'],
];

test('the memory of the server and of its pod follow from one number', () => {
  for (const [memoryLimit, flag, request] of memory) {
    const { command, resources } = container({ memoryLimit }) ?? {};
    assert.equal(command?.[1], flag);
    assert.equal(resources?.requests?.memory, request, memoryLimit);
  }
});

const resources: readonly (readonly [what: string, asked: ResourceRequirements, made: ResourceRequirements])[] = [
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
  test(`resources: ${what}`, () => assert.deepEqual(container({ resources: asked })?.resources, made));
}

test('arguments come after our own, and an image replaces ours', () => {
  const { command, image } = container({ args: ['-c', '2048'], image: 'registry.local/memcached:2' }) ?? {};
  assert.deepEqual(command, ['memcached', '--memory-limit=64', '-o', 'modern', '-v', '-c', '2048']);
  assert.equal(image, 'registry.local/memcached:2');
});

test('where pods run is passed through as it is', () => {
  const fields: Partial<PodSpec> = {
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'cache', operator: 'Exists' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    priorityClassName: 'high',
  };
  const { spec } = template(fields as Parameters<typeof memcached>[0]);
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(spec?.[name as keyof PodSpec], value, name);
});

test('a constraint without a selector counts the servers of this Memcached, one with a selector what it says', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' } as const;
  const own = { labelSelector: { matchLabels: { app: 'all' } } };
  const { spec } = template({ topologySpreadConstraints: [constraint, { ...constraint, ...own }] });
  assert.deepEqual(
    spec?.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector),
    [{ matchLabels: podsOf(memcached()).labels }, own.labelSelector],
  );
});

test('labels and annotations are added to the pods, and ours stay', () => {
  const mine = { 'app.kubernetes.io/name': 'mine', team: 'web' };
  const { metadata } = template({ podLabels: mine, podAnnotations: { note: 'x' } });
  assert.deepEqual(metadata?.labels, { team: 'web', ...podsOf(memcached()).labels });
  assert.deepEqual(metadata?.annotations, { note: 'x' });
});
