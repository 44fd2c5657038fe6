/** Writes to built-in kinds: Go structs, whose empty parts are printed or not, and whose defaults somebody owns. */
import type { Case, Step } from './recording.ts';

const apply = (manager: string, body: unknown, rest: Partial<Step> = {}): Step => ({
  verb: 'apply',
  manager,
  body,
  ...rest,
});
const create = (manager: string, body: unknown): Step => ({ verb: 'create', manager, body });
const put = (manager: string, body: unknown, rest: Partial<Step> = {}): Step => ({
  verb: 'put',
  manager,
  body,
  ...rest,
});
const patch = (manager: string, body: unknown, rest: Partial<Step> = {}): Step => ({
  verb: 'patch',
  manager,
  body,
  ...rest,
});
const strategic = (manager: string, body: unknown, rest: Partial<Step> = {}): Step => ({
  verb: 'strategic',
  manager,
  body,
  ...rest,
});
const on =
  (resource: Case['resource']) =>
  (name: string, ...steps: readonly Step[]): Case => ({ name, resource, steps });
const configMap = on('configmaps');
const deployment = on('deployments');
const pod = on('pods');
const service = on('services');

const labels = { app: 'x' };
const container = { name: 'c', image: 'one', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] };
const deploymentOf = (spec: object, podSpec: object = { containers: [container] }) => ({
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec }, ...spec },
});
const lastApplied = (last: object, now: object) => ({
  ...deploymentOf(now),
  metadata: {
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ...deploymentOf(last),
      }),
    },
  },
});
const fullPod = {
  containers: [
    {
      ...container,
      resources: { requests: { cpu: '0.1', memory: '64Mi' } },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      livenessProbe: { httpGet: { path: '/', port: 80 } },
      securityContext: { runAsNonRoot: true },
    },
    { name: 'd', image: 'two', args: ['-x'], envFrom: [{ configMapRef: { name: 'm' } }] },
  ],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 'k', operator: 'Exists' }],
  nodeSelector: { disk: 'ssd' },
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
        },
      ],
    },
  },
};

export const builtInCases: readonly Case[] = [
  configMap(
    'data',
    create('up', { data: { a: '1' }, metadata: { labels } }),
    apply('one', { data: { a: '1', b: '2' } }),
    apply('two', { data: { b: '3' } }),
    put('up', { data: { a: null, c: '4' } }),
    apply('one', { data: {} }),
    apply('one', {}),
  ),
  configMap(
    'empty',
    apply('one', {}),
    apply('one', { metadata: { labels: {}, annotations: null }, data: {} }),
    create('up', {}),
  ),
  configMap(
    'immutable',
    apply('one', { immutable: true, binaryData: { b: 'AAAA' } }),
    apply('one', { immutable: true, binaryData: { b: 'AAAA' } }),
  ),
  configMap(
    'reset',
    apply('one', { data: { a: '1' } }),
    patch('up', { metadata: { managedFields: [] } }),
    put('up', { data: { a: '2' } }),
    apply('one', { data: { a: '2' } }),
    put('up', { metadata: { managedFields: [{}] } }),
    put('up', { metadata: { managedFields: [{ manager: 'x' }] }, data: { b: '1' } }),
  ),
  configMap(
    'old-version-entry',
    apply('one', { data: { a: '1' } }),
    put('up', {
      metadata: {
        managedFields: [
          {
            manager: 'old',
            operation: 'Update',
            apiVersion: 'v0',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
          {
            manager: 'now',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
    }),
    apply('one', { data: { a: '2' } }),
  ),
  configMap(
    'refused',
    apply('one', { data: { a: 1 } }),
    apply('one', { data: { a: null }, unknown: true }),
    apply('one', { kind: 'Secret' }),
    apply('one', { data: 'text' }),
    apply('one', { metadata: { labels: { a: ['x'] }, namespace: 'recorded' } }),
    apply('one', { metadata: { finalizers: ['a.b/c', 'a.b/c'] } }),
  ),
  deployment(
    'created-small',
    create('up', deploymentOf({})),
    put('up', {}),
    patch('scaler', { spec: { replicas: 3 } }),
    apply('one', deploymentOf({ replicas: 1 })),
    apply('one', deploymentOf({ replicas: 1 }), { force: true }),
    apply('one', deploymentOf({})),
    apply('one', deploymentOf({})),
  ),
  deployment(
    'applied-full',
    apply(
      'one',
      deploymentOf({ replicas: 2, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '50%' } } }, fullPod),
    ),
    apply(
      'one',
      deploymentOf({ replicas: 2, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '50%' } } }, fullPod),
    ),
    apply('two', deploymentOf({}, { containers: [{ name: 'c', resources: { requests: { cpu: '0.1' } } }] })),
    apply('two', deploymentOf({}, { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] })),
    apply('one', deploymentOf({ strategy: { type: 'Recreate', rollingUpdate: null } }, fullPod)),
  ),
  deployment(
    'created-full',
    create('up', {
      ...deploymentOf({ replicas: 2, paused: true, minReadySeconds: 5 }, fullPod),
      metadata: { annotations: { a: 'b' } },
    }),
    strategic('up', { spec: { template: { spec: { containers: [{ name: 'd', $patch: 'delete' }] } } } }),
    strategic('set-image', { spec: { template: { spec: { containers: [{ name: 'c', image: 'three' }] } } } }),
    patch('labeler', [{ op: 'add', path: '/metadata/labels', value: { l: '1' } }]),
    apply('one', deploymentOf({}, { containers: [{ name: 'c', image: 'four' }] })),
  ),
  deployment(
    'ports',
    apply(
      'one',
      deploymentOf(
        {},
        {
          containers: [
            { name: 'c', image: 'i', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] },
          ],
        },
      ),
    ),
    apply('two', deploymentOf({}, { containers: [{ name: 'c', ports: [{ containerPort: 80, name: 'http' }] }] })),
    apply(
      'one',
      deploymentOf({}, { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, protocol: 'UDP' }] }] }),
    ),
    apply('two', deploymentOf({}, { containers: [{ name: 'c' }] })),
  ),
  deployment(
    'duplicate-env',
    create(
      'up',
      deploymentOf(
        {},
        {
          containers: [
            {
              ...container,
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
                { name: 'B', value: '3' },
              ],
            },
          ],
        },
      ),
    ),
    apply(
      'one',
      deploymentOf(
        {},
        {
          containers: [
            {
              name: 'c',
              env: [
                { name: 'B', value: '3' },
                { name: 'C', value: '4' },
              ],
            },
          ],
        },
      ),
    ),
    apply('one', deploymentOf({}, { containers: [{ name: 'c', env: [{ name: 'A', value: '1' }] }] }), { force: true }),
    put('up', { spec: { template: { spec: { containers: [{ ...container, env: [{ name: 'A', value: '9' }] }] } } } }),
    put('up', {
      spec: {
        template: {
          spec: {
            containers: [
              {
                ...container,
                env: [
                  { name: 'A', value: '9' },
                  { name: 'A', value: '10' },
                ],
              },
            ],
          },
        },
      },
    }),
    put('up', {
      spec: {
        template: {
          spec: {
            containers: [
              {
                ...container,
                env: [
                  { name: 'A', value: '9' },
                  { name: 'A', value: '11' },
                ],
              },
            ],
          },
        },
      },
    }),
    apply(
      'one',
      deploymentOf(
        {},
        {
          containers: [
            {
              name: 'c',
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '1' },
              ],
            },
          ],
        },
      ),
    ),
  ),
  deployment(
    'refused',
    apply('one', deploymentOf({ replicaz: 1 })),
    apply('one', deploymentOf({ replicas: 'two' })),
    apply('one', deploymentOf({}, { containers: [{ image: 'x' }] })),
    apply('one', deploymentOf({}, { containers: [container, container] })),
    apply(
      'one',
      deploymentOf({}, { containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }] }),
    ),
  ),
  deployment(
    'status-of-deployment',
    create('up', deploymentOf({})),
    patch(
      'controller',
      {
        metadata: { annotations: { rev: '1' }, labels: { not: 'kept' } },
        spec: { replicas: 7 },
        status: { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] },
      },
      { subresource: 'status' },
    ),
    apply('one', { ...deploymentOf({}), status: { replicas: 5 } }),
    apply('one', { status: { conditions: [{ type: 'Progressing', status: 'True' }] } }, { subresource: 'status' }),
  ),
  deployment(
    'scaled',
    apply('one', deploymentOf({ replicas: 1 })),
    patch('hpa', { spec: { replicas: 3 } }, { subresource: 'scale' }),
    apply('one', deploymentOf({ replicas: 1 })),
    apply('one', deploymentOf({})),
    apply(
      'scaler',
      {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'scaled', namespace: 'recorded' },
        spec: { replicas: 4 },
      },
      { subresource: 'scale' },
    ),
    apply(
      'scaler',
      {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'scaled', namespace: 'recorded' },
        spec: { replicas: 4 },
      },
      { subresource: 'scale', force: true },
    ),
    apply('one', deploymentOf({ replicas: 9 })),
    apply('one', deploymentOf({ replicas: 4 })),
    patch('hpa', { spec: { replicas: 5 } }, { subresource: 'scale' }),
  ),
  deployment(
    'scaled-after-create',
    create('up', deploymentOf({ replicas: 1 })),
    patch('hpa', { spec: { replicas: 1 } }, { subresource: 'scale' }),
    patch('hpa', { spec: { replicas: 2 } }, { subresource: 'scale' }),
    patch('hpa', { spec: { replicas: 3 } }, { subresource: 'scale' }),
    put('up', { spec: { paused: true } }),
  ),
  deployment(
    'from-client-side',
    create('kubectl-client-side-apply', lastApplied({ replicas: 1 }, { replicas: 1 })),
    apply('kubectl', deploymentOf({ replicas: 2 })),
    patch('other', { spec: { replicas: 3, paused: true } }),
    apply('kubectl', deploymentOf({ replicas: 4, paused: false })),
    apply('other', deploymentOf({ replicas: 3 })),
  ),
  deployment(
    'from-client-side-edited',
    create(
      'kubectl-client-side-apply',
      lastApplied({ replicas: 1, minReadySeconds: 1 }, { replicas: 2, minReadySeconds: 1 }),
    ),
    apply('kubectl', deploymentOf({ replicas: 3, minReadySeconds: 3 })),
    apply('kubectl', { ...deploymentOf({ replicas: 2, minReadySeconds: 3 }), metadata: { annotations: { a: '<b>' } } }),
  ),
  pod(
    'pod-created',
    create('up', {
      metadata: { labels },
      spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
    }),
    strategic(
      'kubelet',
      {
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          podIP: '10.1.1.1',
          podIPs: [{ ip: '10.1.1.1' }],
        },
      },
      { subresource: 'status' },
    ),
    strategic(
      'kubelet',
      { status: { conditions: [{ type: 'Initialized', status: 'True' }] } },
      { subresource: 'status' },
    ),
    apply('one', { metadata: { labels: { b: '2' } }, spec: { containers: [{ name: 'c', image: 'j' }] } }),
    apply(
      'one',
      { metadata: { labels: { b: '2' } }, spec: { containers: [{ name: 'c', image: 'j' }] } },
      { force: true },
    ),
    apply('one', { metadata: {} }),
  ),
  pod(
    'pod-applied',
    apply('one', { spec: { automountServiceAccountToken: false, ...fullPod } }),
    apply('one', { spec: { automountServiceAccountToken: false, ...fullPod } }),
    apply(
      'status',
      { status: { conditions: [{ type: 'example.com/gate', status: 'True' }] } },
      { subresource: 'status' },
    ),
    apply('status', { status: { conditions: [] } }, { subresource: 'status' }),
  ),
  service(
    'service',
    create('up', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    apply('one', {
      spec: {
        ports: [
          { port: 80, name: 'http' },
          { port: 81, name: 'more' },
        ],
      },
    }),
    apply('one', { spec: { ports: [{ port: 81, name: 'more' }] } }),
    apply('two', { spec: { selector: { app: 'y' }, type: 'NodePort' } }),
    apply('two', { spec: { selector: { app: 'y' } } }, { force: true }),
    put('up', { spec: { ports: [{ port: 90, protocol: 'TCP', targetPort: 90 }] } }),
  ),
  service(
    'service-applied',
    apply('one', {
      spec: {
        selector: labels,
        ports: [
          { port: 53, protocol: 'UDP', name: 'a' },
          { port: 53, name: 'b' },
        ],
        sessionAffinity: 'ClientIP',
      },
    }),
    apply('two', { spec: { ports: [{ port: 53, protocol: 'TCP', targetPort: 'dns' }] } }),
    apply('one', { spec: { selector: labels, ports: [{ port: 53, protocol: 'UDP', name: 'a' }] } }),
  ),
];
