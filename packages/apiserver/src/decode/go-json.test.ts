import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeGo } from './go-json.ts';
import { type GoType, goType } from './go-types.ts';

function struct(name: string): GoType {
  const found = goType(`io.k8s.api.${name}`);
  assert.ok(found);
  return found;
}

const shapes: readonly {
  readonly says: string;
  readonly type: string;
  readonly body: object;
  readonly expected: object;
}[] = [
  {
    says: 'a pointer to zero stays, and a zero without one goes',
    type: 'apps.v1.DeploymentSpec',
    body: { replicas: 0, minReadySeconds: 0, paused: false, selector: null },
    expected: {
      replicas: 0,
      selector: null,
      template: { metadata: {}, spec: { containers: null } },
      strategy: {},
    },
  },
  {
    says: 'empty maps and lists go, and quantities become canonical',
    type: 'core.v1.Container',
    body: { name: 'a', args: [], resources: { limits: { cpu: '0.1', memory: 1024 }, requests: {} } },
    expected: { name: 'a', resources: { limits: { cpu: '100m', memory: '1024' } } },
  },
  {
    says: 'a resource is rounded up to a thousandth, another quantity is not',
    type: 'core.v1.PodSpec',
    body: {
      containers: [{ name: 'a', resources: { requests: { cpu: '1n', memory: ' 1.0001' } } }],
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1n' } }],
    },
    expected: {
      containers: [{ name: 'a', resources: { requests: { cpu: '1m', memory: '1001m' } } }],
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1n' } }],
    },
  },
  {
    says: 'null is absent',
    type: 'core.v1.ConfigMap',
    body: { metadata: null, data: null, immutable: null },
    expected: { metadata: {} },
  },
  {
    says: 'times are in UTC and whole seconds, and what Go writes as null is null',
    type: 'core.v1.Event',
    body: { metadata: {}, firstTimestamp: '2026-01-01T01:00:00.5+01:00' },
    expected: {
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
];

for (const { says, type, body, expected } of shapes) {
  test(`${says} (${type})`, () => {
    assert.deepEqual(decodeGo(body as never, struct(type)).value, expected);
  });
}

test('unknown members are dropped and named by their path', () => {
  const { unknown } = decodeGo(
    { foo: 1, spec: { template: { spec: { containers: [{ name: 'a' }, { nme: 'b' }] } } } },
    struct('apps.v1.Deployment'),
  );
  assert.deepEqual(unknown, ['foo', 'spec.template.spec.containers[1].nme']);
});

const mistakes: readonly (readonly [string, object, string])[] = [
  [
    'apps.v1.Deployment',
    { spec: { replicas: '3' } },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apps.v1.Deployment',
    { spec: { template: { spec: { containers: [{ name: 1 }] } } } },
    'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string',
  ],
  [
    'core.v1.ConfigMap',
    { data: { a: 1 } },
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'core.v1.Pod',
    { spec: { containers: {} } },
    'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
  ],
  [
    'core.v1.Pod',
    { spec: { restartPolicy: 5 } },
    'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
  ],
  [
    'core.v1.Pod',
    { spec: { terminationGracePeriodSeconds: 1.5 } },
    'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
  ],
  [
    'coordination.v1.Lease',
    { spec: { renewTime: '2026-01-01T00:00:00Z' } },
    'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
];

for (const [type, body, message] of mistakes) {
  test(`${type} refuses ${JSON.stringify(body)} as Go does`, () => {
    assert.throws(() => decodeGo(body as never, struct(type)), { name: 'GoJsonError', message });
  });
}

test('a quantity of 100,000 spaces between two digits is refused at once', () => {
  const memory = `1${' '.repeat(100_000)}1`;
  const before = process.threadCpuUsage();
  assert.throws(() => decodeGo({ name: 'a', resources: { limits: { memory } } }, struct('core.v1.Container')));
  assert.ok(process.threadCpuUsage(before).user < 1_000_000, 'it took 15 s of the processor');
});
