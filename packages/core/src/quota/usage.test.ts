import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../generated/v1.ts';
import { printQuantity } from '../quantity.ts';
import { matchesQuotaScopes, quotaNames, quotaUsage } from './usage.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
const container = (resources: object, more: object = {}) => ({ name: 'c', resources, ...more });
const podOf = (spec: object, status: object = {}, more: object = {}) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, ...more }, spec, status }) as unknown as Pod;

function shown(resource: string, object: { readonly metadata: object }): Record<string, string> {
  return Object.fromEntries(
    [...quotaUsage(resource, object, now)].map(([name, amount]) => [name, printQuantity(amount)]),
  );
}

const cases: readonly (readonly [name: string, pod: Pod, usage: Record<string, string>])[] = [
  [
    'containers add up',
    podOf({
      containers: [
        container({ requests: { cpu: '1' } }),
        container({ requests: { cpu: '500m' }, limits: { memory: '1Gi' } }),
      ],
    }),
    { 'count/pods': '1', pods: '1', cpu: '1500m', 'requests.cpu': '1500m', 'limits.memory': '1Gi' },
  ],
  [
    'the largest init container, with the sidecars before it',
    podOf({
      containers: [container({ requests: { cpu: '1' } })],
      initContainers: [
        container({ requests: { cpu: '4' } }),
        container({ requests: { cpu: '1' } }, { restartPolicy: 'Always' }),
        container({ requests: { cpu: '3500m' } }),
      ],
    }),
    { 'count/pods': '1', pods: '1', cpu: '4500m', 'requests.cpu': '4500m' },
  ],
  [
    'what the pod says for itself, and its overhead',
    podOf({
      containers: [container({ requests: { cpu: '1', memory: '1Mi' } })],
      resources: { requests: { cpu: '2' } },
      overhead: { cpu: '100m' },
    }),
    { 'count/pods': '1', pods: '1', cpu: '2100m', 'requests.cpu': '2100m', memory: '1Mi', 'requests.memory': '1Mi' },
  ],
  [
    'devices by their requests alone',
    podOf({ containers: [container({ requests: { 'example.com/gpu': '2' }, limits: { 'example.com/gpu': '2' } })] }),
    { 'count/pods': '1', pods: '1', 'requests.example.com/gpu': '2' },
  ],
  [
    'one that has ended is stored and no more',
    podOf({ containers: [] }, { phase: 'Succeeded' }),
    { 'count/pods': '1' },
  ],
  [
    'one that should have gone',
    podOf({ containers: [] }, {}, { deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 }),
    { 'count/pods': '1' },
  ],
];

for (const [name, pod, usage] of cases)
  test(`usage of a pod: ${name}`, () => assert.deepEqual(shown('pods', pod), usage));

test('other kinds count by their number, and some under a bare name too', () => {
  assert.deepEqual(shown('secrets', { metadata }), { 'count/secrets': '1', secrets: '1' });
  assert.deepEqual(shown('deployments.apps', { metadata }), { 'count/deployments.apps': '1' });
  assert.deepEqual(quotaNames('deployments.apps', ['pods', 'count/deployments.apps']), ['count/deployments.apps']);
});

test('a load balancer takes a node port for each port, unless it wants none', () => {
  const spec = { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] };
  const taken = (more: object) =>
    shown('services', { metadata, spec: { ...spec, ...more } } as never)['services.nodeports'];
  assert.equal(taken({}), '2');
  assert.equal(taken({ allocateLoadBalancerNodePorts: false }), '0');
});

const scopes: readonly (readonly [scope: object, pod: Pod, matches: boolean])[] = [
  [{ scopes: ['BestEffort'] }, podOf({ containers: [container({})] }), true],
  [{ scopes: ['BestEffort'] }, podOf({ containers: [container({ limits: { memory: '1' } })] }), false],
  [{ scopes: ['BestEffort'] }, podOf({ containers: [container({})], resources: { requests: { cpu: '1' } } }), false],
  [{ scopes: ['NotBestEffort'] }, podOf({ containers: [container({})], resources: { limits: { memory: '1' } } }), true],
  [{ scopes: ['NotBestEffort', 'Terminating'] }, podOf({ containers: [], activeDeadlineSeconds: 1 }), false],
  [{ scopes: ['NotTerminating'] }, podOf({ containers: [] }), true],
  ...(['In', 'NotIn', 'Exists', 'DoesNotExist'] as const).map((operator): (typeof scopes)[number] => [
    { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values: ['high'] }] } },
    podOf({ containers: [], priorityClassName: 'high' }),
    operator === 'In' || operator === 'Exists',
  ]),
];

for (const [scope, pod, matches] of scopes) {
  test(`scopes of a quota: ${JSON.stringify(scope)} ${matches ? 'has' : 'has not'} ${JSON.stringify(pod.spec)}`, () =>
    assert.equal(matchesQuotaScopes(scope, 'pods', pod), matches));
}
