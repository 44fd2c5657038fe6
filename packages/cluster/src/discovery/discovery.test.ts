import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesOf } from './discovery.ts';

const verbs = ['create', 'delete', 'get', 'list', 'watch'];
const resource = (name: string, kind: string, scope = 'Namespaced') => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope,
  verbs,
});

const found = resourcesOf([
  {
    items: [
      { versions: [{ version: 'v1', resources: [resource('pods', 'Pod'), resource('nodes', 'Node', 'Cluster')] }] },
    ],
  },
  {
    items: [
      {
        metadata: { name: 'cache.example.com' },
        versions: [
          { version: 'v2', resources: [resource('widgets', 'Widget')] },
          { version: 'v1', resources: [resource('widgets', 'Widget'), resource('relics', 'Relic')] },
        ],
      },
      { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
    ],
  },
]);

test('each resource is there once, in the first version that has it', () => {
  assert.deepEqual(
    found.preferred.map(({ group, version, resource, scope }) => [group, version, resource, scope]),
    [
      ['', 'v1', 'pods', 'Namespaced'],
      ['', 'v1', 'nodes', 'Cluster'],
      ['cache.example.com', 'v2', 'widgets', 'Namespaced'],
      ['cache.example.com', 'v1', 'relics', 'Namespaced'],
    ],
  );
});

test('an owner reference is mapped in the version that it names', () => {
  assert.equal(found.find('v1', 'Pod')?.resource, 'pods');
  assert.equal(found.find('cache.example.com/v1', 'Widget')?.version, 'v1');
  assert.equal(found.find('cache.example.com/v3', 'Widget'), undefined);
});

test('a group that the server cannot reach is named', () => {
  assert.deepEqual(found.stale, ['metrics.k8s.io/v1beta1']);
});
