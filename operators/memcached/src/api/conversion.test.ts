import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@keelson/core';
import { Memcached } from './memcached.ts';

const metadata = { namespace: 'default', name: 'cache' };
const annotation = 'cache.example.com/not-in-this-version';

function converted(from: string, to: string, spec: JsonObject) {
  const object = { apiVersion: `cache.example.com/${from}`, kind: 'Memcached', metadata, spec };
  const made = Memcached.conversion?.convert(object, `cache.example.com/${to}`) as {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec: JsonObject;
  };
  return { spec: made.spec, kept: made.metadata.annotations?.[annotation] };
}

const defaults = { size: 1, workload: 'Deployment', updatePolicy: 'Auto' };
const where = {
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'cache' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  priorityClassName: 'high',
};

const same: readonly (readonly [what: string, older: JsonObject, newer: JsonObject])[] = [
  ['nothing but the size', { size: 3 }, { ...defaults, size: 3 }],
  ['more servers than v1alpha1 takes', { size: 7 }, { ...defaults, size: 7 }],
  ['pause and image', { paused: true, image: 'a:1' }, { ...defaults, paused: true, image: 'a:1' }],
  ['arguments', { args: ['-R', '20'] }, { ...defaults, config: { extraArgs: ['-R', '20'] } }],
  [
    'labels and annotations of pods',
    { podLabels: { a: 'b' }, podAnnotations: { c: 'd' } },
    { ...defaults, pod: { labels: { a: 'b' }, annotations: { c: 'd' } } },
  ],
  ['where pods run', where, { ...defaults, pod: where }],
  [
    'resources without memory, as they are',
    { resources: { limits: {} } },
    { ...defaults, pod: { resources: { limits: {} } } },
  ],
  [
    'memory alone: no limit follows from it',
    { memoryLimit: '1Gi' },
    { ...defaults, memory: '1Gi', pod: { resources: { limits: {} } } },
  ],
  [
    'memory and a request: no limit follows from it',
    { memoryLimit: '1Gi', resources: { requests: { cpu: '1' } } },
    { ...defaults, memory: '1Gi', pod: { resources: { requests: { cpu: '1' }, limits: {} } } },
  ],
  [
    'memory and a limit: no other follows from it',
    { memoryLimit: '1Gi', resources: { limits: { cpu: '1' } } },
    { ...defaults, memory: '1Gi', pod: { resources: { limits: { cpu: '1' } } } },
  ],
];

for (const [what, older, newer] of same) {
  test(`said in both versions: ${what}`, () => {
    assert.deepEqual(converted('v1alpha1', 'v1', older), { spec: newer, kept: undefined });
    assert.deepEqual(converted('v1', 'v1alpha1', newer), { spec: { size: 1, ...older }, kept: undefined });
  });
}

const alongside: readonly (readonly [what: string, newer: JsonObject, older: JsonObject])[] = [
  ['a limit that follows from memory', { memory: '1Gi' }, { memoryLimit: '1Gi' }],
  ['a StatefulSet', { workload: 'StatefulSet' }, {}],
  ['a setting with a field of its own', { config: { threads: 8, extraArgs: ['-R', '20'] } }, { args: ['-R', '20'] }],
  ['volumes', { pod: { volumes: [{ name: 'a', emptyDir: {} }], labels: { a: 'b' } } }, { podLabels: { a: 'b' } }],
];

for (const [what, newer, older] of alongside) {
  test(`goes along with v1alpha1, which has no word for it: ${what}`, () => {
    const { spec, kept } = converted('v1', 'v1alpha1', { ...defaults, ...newer });
    assert.deepEqual(spec, { size: 1, ...older });
    assert.ok(kept);
  });
}
