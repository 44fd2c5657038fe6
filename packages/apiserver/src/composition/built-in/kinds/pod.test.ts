import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { readAs } from '../../../object.ts';
import { pod, qosClass } from './pod.ts';
import { imageTag } from './pod-defaults.ts';

const withResources = (...resources: readonly object[]) =>
  readAs<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: resources.map((each) => ({ resources: each })) },
  });
const both = { cpu: '1', memory: '1Gi' };

const classes: readonly (readonly [string, Pod, string])[] = [
  ['nothing', withResources({}, {}), 'BestEffort'],
  ['a request', withResources({ requests: { cpu: '1' } }), 'Burstable'],
  ['both limits, equal to the requests', withResources({ limits: both, requests: both }), 'Guaranteed'],
  ['both limits in one of two containers', withResources({ limits: both, requests: both }, {}), 'Burstable'],
  ['limits above the requests', withResources({ limits: both, requests: { cpu: '1', memory: '1Mi' } }), 'Burstable'],
  ['a limit for one of the two', withResources({ limits: { cpu: '1' }, requests: { cpu: '1' } }), 'Burstable'],
];

for (const [says, object, expected] of classes) {
  test(`a pod with ${says} is ${expected}`, () => assert.equal(qosClass(object), expected));
}

const tags: readonly (readonly [string, string])[] = [
  ['nginx', 'latest'],
  ['nginx:1.2', '1.2'],
  ['registry:5000/nginx', 'latest'],
  ['registry:5000/nginx:1.2', '1.2'],
  ['nginx@sha256:abc', ''],
];

for (const [image, tag] of tags) {
  test(`the tag of ${image} is ${tag === '' ? 'none' : tag}`, () => assert.equal(imageTag(image), tag));
}

const graces: readonly (readonly [string, object, number | undefined, number])[] = [
  ['that runs nowhere', { spec: {} }, 60, 0],
  ['that has ended', { spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } }, 60, 0],
  ['that runs', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, undefined, 30],
  ['that runs, with a wish', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, 5, 5],
];

for (const [says, object, requested, expected] of graces) {
  test(`a pod ${says} stays ${expected} seconds`, () =>
    assert.equal(pod.grace?.(object as never, requested), expected));
}
