import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remarksOn } from './remarks.ts';

const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} };
const spread = { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] };
const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
const asking = (requests: object) => ({ containers: [{ name: 'a', image: 'a', resources: { requests } }] });
const ignored = (field: string) => [`this cluster is simulated, and its scheduler does not look at ${field}`];
const requests = 'spec.containers[*].resources.requests, which no node can satisfy';

const cases: readonly (readonly [name: string, resource: string, spec: object, remarks: readonly string[]])[] = [
  ['a plain pod', 'pods', { containers: [] }, []],
  ['a spread', 'pods', spread, ignored('spec.topologySpreadConstraints')],
  ['a pod apart from others', 'pods', apart, ignored('spec.affinity.podAntiAffinity')],
  [
    'a required node',
    'pods',
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } },
    [],
  ],
  ['a usual request', 'pods', asking({ cpu: '250m', memory: '1Gi' }), []],
  ['more than there is', 'pods', asking({ cpu: '1001' }), ignored(requests)],
  [
    'containers that are too much together',
    'pods',
    { containers: ['a', 'b'].map((name) => ({ name, resources: { requests: { cpu: '600' } } })) },
    ignored(requests),
  ],
  [
    'a port of the node',
    'pods',
    { containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }] },
    ignored('spec.containers[*].ports[*].hostPort'),
  ],
  ['a device', 'pods', asking({ 'nvidia.com/gpu': '1' }), ignored(requests)],
  [
    'a template',
    'deployments.apps',
    { template: { spec: apart } },
    ignored('spec.template.spec.affinity.podAntiAffinity'),
  ],
  [
    'a template of pods for each node',
    'daemonsets.apps',
    { template: { spec: apart } },
    ignored('spec.template.spec.affinity.podAntiAffinity'),
  ],
  ['an empty template', 'deployments.apps', {}, []],
  [
    'the template of a template',
    'cronjobs.batch',
    { jobTemplate: { spec: { template: { spec: spread } } } },
    ignored('spec.jobTemplate.spec.template.spec.topologySpreadConstraints'),
  ],
  ['something else', 'widgets.example.com', spread, []],
];

for (const [name, resource, spec, remarks] of cases) {
  test(`remarks: ${name}`, () => assert.deepEqual(remarksOn(resource, { spec }), remarks));
}

test('an update hears only of what it asks for anew', () => {
  const both = { spec: { ...spread, ...apart } };
  assert.deepEqual(remarksOn('pods', both, { spec: spread }), ignored('spec.affinity.podAntiAffinity'));
  assert.deepEqual(remarksOn('pods', both, both), []);
});
