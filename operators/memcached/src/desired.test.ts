import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memcached } from '../test/fixtures.ts';
import { desiredDeployment, endpointsOf, podsOf } from './desired.ts';

test('a Memcached of size 3 wants a Deployment of its own name with 3 replicas', () => {
  const { metadata, spec } = desiredDeployment(memcached({ name: 'cache', size: 3 }));
  assert.equal(metadata.name, 'cache');
  assert.equal(spec?.replicas, 3);
});

test('selector and pods carry the instance, so two Memcacheds in one namespace keep apart', () => {
  const [a, b] = ['a', 'b'].map((name) => desiredDeployment(memcached({ name })));
  assert.deepEqual(a?.spec?.selector.matchLabels, a?.spec?.template.metadata?.labels);
  assert.notDeepEqual(a?.spec?.selector.matchLabels, b?.spec?.selector.matchLabels);
  assert.deepEqual(podsOf(memcached({ name: 'a' })).labels, a?.spec?.selector.matchLabels);
});

test('there are never more servers than asked for, also during a rollout', () => {
  const { spec } = desiredDeployment(memcached());
  assert.deepEqual(spec?.strategy?.rollingUpdate, { maxSurge: 0, maxUnavailable: 1 });
});

test('a Deployment has more time for a rollout in which servers must have been ready for a while', () => {
  const { spec } = desiredDeployment(memcached({ rollout: { minReadySeconds: 900 } }));
  assert.deepEqual([spec?.minReadySeconds, spec?.progressDeadlineSeconds], [900, 1500]);
});

test('clients find servers of a StatefulSet by their names, in order, and those of a Deployment by one', () => {
  assert.deepEqual(endpointsOf(memcached({ size: 2 })), ['cache.default.svc:11211']);
  assert.deepEqual(endpointsOf(memcached({ size: 2, workload: 'StatefulSet' })), [
    'cache-0.cache.default.svc:11211',
    'cache-1.cache.default.svc:11211',
  ]);
});
