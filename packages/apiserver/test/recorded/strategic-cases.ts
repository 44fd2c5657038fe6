/** Strategic merge patches of built-in kinds: merging by key, directives, and what is refused. */
import type { Case, Step } from './recording.ts';

const create = (body: unknown): Step => ({ verb: 'create', manager: 'up', body });
const patch = (body: unknown, rest: Partial<Step> = {}): Step => ({ verb: 'strategic', manager: 'up', body, ...rest });

const labels = { app: 'x' };
const start = create({
  metadata: {
    labels: { a: '1', b: '2' },
    annotations: { k: 'v' },
    finalizers: ['example.com/a', 'example.com/b', 'example.com/c'],
  },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'one',
            args: ['x', 'y'],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
              { name: 'C', value: '3' },
            ],
            ports: [{ containerPort: 80 }, { containerPort: 81, name: 'more' }],
            resources: { limits: { cpu: '1', memory: '1Gi' } },
          },
          { name: 'b', image: 'two' },
          { name: 'c', image: 'three' },
        ],
        tolerations: [{ key: 'k', operator: 'Exists' }],
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', configMap: { name: 'm' } },
        ],
        nodeSelector: { disk: 'ssd', zone: 'z' },
      },
    },
  },
});
const deployment = (name: string, ...steps: readonly Step[]): Case => ({
  name: `patched-${name}`,
  resource: 'deployments',
  steps: [start, ...steps],
});
const podSpec = (spec: unknown) => patch({ spec: { template: { spec } } });
const containers = (...items: readonly unknown[]) => podSpec({ containers: items });

export const strategicCases: readonly Case[] = [
  deployment('image', containers({ name: 'b', image: 'new' })),
  deployment(
    'added',
    containers({ name: 'd', image: 'four' }),
    containers({ name: 'e', image: 'five' }, { name: 'a', image: 'again' }),
  ),
  deployment('deleted', containers({ name: 'b', $patch: 'delete' }), containers({ name: 'zz', $patch: 'delete' })),
  deployment('replaced', containers({ $patch: 'replace' }, { name: 'only', image: 'x' })),
  deployment(
    'replaced-map',
    podSpec({ nodeSelector: { $patch: 'replace', only: 'this' } }),
    podSpec({ nodeSelector: { $patch: 'delete' } }),
  ),
  deployment('nulls', podSpec({ nodeSelector: { zone: null, none: null }, volumes: null, hostname: null })),
  deployment('null-item-field', containers({ name: 'a', args: null, resources: { limits: { memory: null } } })),
  deployment(
    'env',
    containers({
      name: 'a',
      env: [
        { name: 'B', value: 'new' },
        { name: 'D', value: '4' },
      ],
    }),
    containers({ name: 'a', env: [{ name: 'A', $patch: 'delete' }] }),
    containers({ name: 'a', $setElementOrder: [] }),
  ),
  deployment(
    'element-order',
    podSpec({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] }),
    podSpec({
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'x' }, { name: 'c' }],
      containers: [{ name: 'x', image: 'i' }],
    }),
    podSpec({
      '$setElementOrder/containers': [{ name: 'x' }, { name: 'b' }],
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'x', image: 'j' },
      ],
    }),
    podSpec({ '$setElementOrder/initContainers': [{ name: 'i' }], initContainers: [{ name: 'i', image: 'i' }] }),
    podSpec({ '$setElementOrder/hostAliases': [{ ip: '1.1.1.1' }] }),
  ),
  deployment(
    'element-order-env',
    containers({
      name: 'a',
      '$setElementOrder/env': [{ name: 'C' }, { name: 'N' }, { name: 'A' }],
      env: [
        { name: 'N', value: 'n' },
        { name: 'B', $patch: 'delete' },
      ],
    }),
  ),
  deployment(
    'element-order-wrong',
    podSpec({ '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'q', image: 'i' }] }),
  ),
  deployment(
    'element-order-shape',
    podSpec({ '$setElementOrder/containers': 'x' }),
    podSpec({ $setElementOrderX: [] }),
    podSpec({ '$setElementOrder/containers': [{ x: 1 }] }),
  ),
  deployment(
    'atomic-list',
    podSpec({ tolerations: [{ key: 'other', operator: 'Exists' }] }),
    containers({ name: 'a', args: ['z'] }),
  ),
  deployment(
    'ports',
    containers({ name: 'a', ports: [{ containerPort: 81, name: 'renamed' }, { containerPort: 82 }] }),
  ),
  deployment(
    'primitives',
    patch({ metadata: { finalizers: ['example.com/d', 'example.com/b'] } }),
    patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/zz'] } }),
    patch({
      metadata: {
        '$setElementOrder/finalizers': ['example.com/d', 'example.com/c', 'example.com/e'],
        finalizers: ['example.com/e'],
        '$deleteFromPrimitiveList/finalizers': ['example.com/b'],
      },
    }),
    patch({ metadata: { $deleteFromPrimitiveList: ['example.com/a'] } }),
    patch({ metadata: { finalizers: null } }),
    patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } }),
  ),
  deployment(
    'retain-keys',
    patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
    patch({ spec: { strategy: { $retainKeys: ['rollingUpdate'], type: 'RollingUpdate' } } }),
    patch({ spec: { strategy: { $retainKeys: 'type', type: 'RollingUpdate' } } }),
    podSpec({ volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] }),
    podSpec({
      '$setElementOrder/volumes': [{ name: 'w' }, { name: 'v' }],
      volumes: [{ name: 'w', $retainKeys: ['name', 'configMap'], configMap: { name: 'n' } }],
    }),
  ),
  deployment(
    'labels',
    patch({ metadata: { labels: { a: null, c: '3' }, annotations: null } }),
    patch({ metadata: { labels: null } }),
  ),
  deployment('no-key', containers({ image: 'x' }), containers({ $patch: 'delete' })),
  deployment(
    'bad-directives',
    containers({ name: 'a', $patch: 'frob' }),
    patch({ spec: { $patch: 'merge' } }),
    containers({ name: 'a', $patch: 'merge' }),
  ),
  deployment(
    'mixed-items',
    containers('text'),
    containers(['list']),
    podSpec({ containers: { name: 'a' } }),
    podSpec('text'),
  ),
  deployment('whole', patch({ $patch: 'delete' }), patch({})),
  deployment(
    'directive-in-new',
    podSpec({
      initContainers: [{ name: 'i', image: 'i', env: [{ name: 'A', $patch: 'delete' }] }],
      affinity: { nodeAffinity: { $patch: 'delete' } },
    }),
  ),
  {
    name: 'service-ports',
    resource: 'services',
    steps: [
      create({
        spec: {
          selector: labels,
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
          externalIPs: ['192.0.2.1'],
        },
      }),
      patch({ spec: { ports: [{ port: 81, targetPort: 8081 }] } }),
      patch({
        spec: {
          ports: [{ port: 80, $patch: 'delete' }],
          externalIPs: ['192.0.2.2'],
          selector: { app: 'y', tier: 'z' },
        },
      }),
    ],
  },
  {
    name: 'pod-status',
    resource: 'pods',
    steps: [
      create({ spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false } }),
      patch(
        {
          status: {
            conditions: [
              { type: 'Ready', status: 'False' },
              { type: 'X', status: 'True' },
            ],
            podIPs: [{ ip: '10.0.0.9' }],
            podIP: '10.0.0.9',
          },
        },
        { subresource: 'status' },
      ),
      patch(
        {
          status: {
            '$setElementOrder/conditions': [{ type: 'X' }, { type: 'Ready' }],
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        },
        { subresource: 'status' },
      ),
      patch({
        metadata: {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1' },
            { apiVersion: 'v1', kind: 'Node', name: 'm', uid: 'u2' },
          ],
        },
      }),
      patch({ metadata: { ownerReferences: [{ uid: 'u1', $patch: 'delete' }] } }),
    ],
  },
  { name: 'on-a-custom-resource', resource: 'gadgets', steps: [create({ spec: {} }), patch({ spec: { text: 'x' } })] },
];
