import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredKind } from '@keelson/client';
import { resourcesOf } from './resources.ts';

const kind = (group: string, version: string, resource: string, name: string): DiscoveredKind => ({
  group,
  version,
  resource,
  kind: name,
  scope: 'Namespaced',
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
});

const found = resourcesOf({
  kinds: [
    kind('', 'v1', 'pods', 'Pod'),
    kind('cache.example.com', 'v2', 'widgets', 'Widget'),
    kind('cache.example.com', 'v1', 'widgets', 'Widget'),
    kind('cache.example.com', 'v1', 'relics', 'Relic'),
  ],
  failures: [{ group: 'metrics.k8s.io', version: 'v1beta1', error: new Error('silent') }],
});

test('each resource is there once, in the first version that has it', () => {
  assert.deepEqual(
    found.preferred.map(({ group, version, resource }) => [group, version, resource]),
    [
      ['', 'v1', 'pods'],
      ['cache.example.com', 'v2', 'widgets'],
      ['cache.example.com', 'v1', 'relics'],
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
