import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodSpec, PodTemplateSpec } from '@keelson/core/v1';
import { appliedTemplate, revisionOf, rollingFields } from './change.ts';

const server: Container = {
  name: 'memcached',
  image: 'memcached:1.6.26',
  command: ['memcached', '--memory-limit=64', '-o', 'modern', '-v'],
  resources: { requests: { cpu: '100m', memory: '128Mi' } },
};
const template = (pod: Partial<PodSpec> = {}, container: Partial<Container> = {}): PodTemplateSpec => ({
  metadata: { labels: { app: 'cache' } },
  spec: { ...pod, containers: [{ ...server, ...container }] },
});
const labelSelector = { matchLabels: { app: 'cache' } };
const apart = (topologyKey: string) => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector }] },
});
const spread = (topologyKey: string, whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector }],
});
const command = (...args: string[]) => ({ command: ['memcached', ...args, '-o', 'modern', '-v'] });

const changes: readonly (readonly [what: string, after: PodTemplateSpec, fields: readonly string[] | undefined])[] = [
  ['nothing', template(), undefined],
  ['another image', template({}, { image: 'memcached:1.6.45' }), ['spec.image']],
  [
    'more memory, and the requests that follow',
    template({}, { ...command('--memory-limit=128'), resources: { requests: { cpu: '100m', memory: '256Mi' } } }),
    ['spec.memory'],
  ],
  ['another request', template({}, { resources: { requests: { cpu: '1', memory: '128Mi' } } }), ['spec.pod.resources']],
  [
    'the same requests in other words',
    template({}, { resources: { requests: { cpu: '0.1', memory: '131072Ki' }, limits: {} } }),
    undefined,
  ],
  ['an argument', template({}, command('--memory-limit=64', '-c', '10')), ['spec.config']],
  ['no arguments at all', template({}, { command: [] }), ['spec.memory', 'spec.config']],
  ['a node of its own', template({ affinity: apart('kubernetes.io/hostname') }), ['spec.availability.antiAffinity']],
  ['a rack of its own', template({ affinity: apart('rack') }), ['spec.pod.affinity']],
  [
    'near others',
    template({
      affinity: {
        podAffinity: {},
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] },
      },
    }),
    ['spec.pod.affinity'],
  ],
  [
    'over the zones',
    template(spread('topology.kubernetes.io/zone', 'ScheduleAnyway')),
    ['spec.availability.zoneSpread'],
  ],
  [
    'over the zones, or not at all',
    template(spread('topology.kubernetes.io/zone', 'DoNotSchedule')),
    ['spec.pod.topologySpreadConstraints'],
  ],
  ['labels', { ...template(), metadata: { labels: { app: 'cache', team: 'web' } } }, ['spec.pod.labels']],
  [
    'annotations',
    { ...template(), metadata: { labels: { app: 'cache' }, annotations: { note: 'x' } } },
    ['spec.pod.annotations'],
  ],
  ...(
    [
      ['nodeSelector', { disk: 'ssd' }],
      ['tolerations', [{ key: 'a', operator: 'Exists' }]],
      ['priorityClassName', 'high'],
      ['imagePullSecrets', [{ name: 'pull' }]],
      ['serviceAccountName', 'me'],
      ['volumes', [{ name: 'tls', secret: { secretName: 'tls' } }]],
    ] as const
  ).map(([field, value]) => [field, template({ [field]: value }), [`spec.pod.${field}`]] as const),
  ['mounts', template({}, { volumeMounts: [{ name: 'tls', mountPath: '/tls' }] }), ['spec.pod.volumeMounts']],
  ['what is empty or zero', template({ tolerations: [], nodeSelector: {}, hostNetwork: false }), undefined],
  [
    'a label that has no value',
    { ...template(), metadata: { labels: { app: 'cache', infra: '' } } },
    ['spec.pod.labels'],
  ],
  [
    'nodes by a label that has no value',
    template({ nodeSelector: { 'node-role.kubernetes.io/infra': '' } }),
    ['spec.pod.nodeSelector'],
  ],
  ['an affinity to nothing', template({ affinity: {} }), []],
  ['something of ours', template({ terminationGracePeriodSeconds: 5 }), []],
  ['another container', { ...template(), spec: { containers: [server, { name: 'exporter' }] } }, []],
  ['a probe and an image', template({}, { image: 'x', readinessProbe: { periodSeconds: 1 } }), ['spec.image']],
];

for (const [what, after, fields] of changes) {
  test(`what restarts servers: ${what}`, () => {
    assert.deepEqual(rollingFields(template(), after), fields);
    assert.deepEqual(rollingFields(after, template()), fields, 'the way back');
    assert.equal(revisionOf(after) === revisionOf(template()), fields === undefined, 'the revision says the same');
  });
}

const volume = (sources: object) => template({ volumes: [{ name: 'files', ...sources }] });
const term = (selectors: object) =>
  template({
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'rack', ...selectors }] },
    },
  });
const toleration = { operator: 'Exists', effect: 'NoExecute' } as const;
const token = { path: 'token' };
const label = { path: 'label', fieldRef: { fieldPath: 'metadata.labels' } };
const cpu = { path: 'cpu', resourceFieldRef: { resource: 'limits.cpu' } };

const stored: readonly (readonly [what: string, a: PodTemplateSpec, b: PodTemplateSpec, isSame: boolean])[] = [
  [
    'at once or never',
    template({ tolerations: [toleration] }),
    template({ tolerations: [{ ...toleration, tolerationSeconds: 0 }] }),
    false,
  ],
  ['all pods or none', term({}), term({ labelSelector: {} }), false],
  ['all namespaces or this one', term({}), term({ namespaceSelector: {} }), false],
  ['a folder of one kind or another', volume({ emptyDir: {} }), volume({ projected: {} }), false],
  ['a mode that is filled in', volume({ projected: {} }), volume({ projected: { defaultMode: 420 } }), true],
  [
    'what is filled in within a list',
    volume({ projected: { sources: [{ serviceAccountToken: token }, { downwardAPI: { items: [label, cpu] } }] } }),
    volume({
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { ...token, expirationSeconds: 3600 } },
          {
            downwardAPI: {
              items: [
                { ...label, fieldRef: { ...label.fieldRef, apiVersion: 'v1' } },
                { ...cpu, resourceFieldRef: { ...cpu.resourceFieldRef, divisor: '0' } },
              ],
            },
          },
        ],
      },
    }),
    true,
  ],
];

for (const [what, a, b, isSame] of stored) {
  test(`as the API server keeps a template: ${what}`, () => {
    assert.equal(rollingFields(a, b) === undefined, isSame);
    assert.equal(revisionOf(a) === revisionOf(b), isSame);
  });
}

test('a revision is short, and the order of members is not in it', () => {
  assert.match(revisionOf(template()), /^[0-9a-f]{10}$/);
  const { spec, metadata } = template();
  assert.equal(revisionOf({ spec, metadata }), revisionOf({ metadata, spec }));
});

test('what was applied is what this manager has in the object, and no other', () => {
  const fieldsV1 = {
    'f:spec': {
      'f:replicas': {},
      'f:template': {
        'f:spec': { 'f:containers': { 'k:{"name":"memcached"}': { '.': {}, 'f:name': {}, 'f:image': {} } } },
      },
    },
  };
  const entry = (manager: string) => ({ manager, operation: 'Apply' as const, fieldsV1 });
  const workload = (manager: string) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: 'cache',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: 'then',
      managedFields: [entry(manager)],
    },
    spec: { replicas: 3, template: { spec: { ...template().spec, terminationGracePeriodSeconds: 30 } } },
  });
  assert.deepEqual(appliedTemplate(workload('me'), 'me'), {
    spec: { containers: [{ name: 'memcached', image: 'memcached:1.6.26' }] },
  });
  assert.equal(appliedTemplate(workload('kubectl'), 'me'), undefined);
});
