import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memcached } from '../test/fixtures.ts';
import { desiredDeployment, podsOf } from './desired.ts';

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
