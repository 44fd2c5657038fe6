import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions } from './registry.ts';

test('versions are in the order of preference of Kubernetes', () => {
  const versions = [
    'foo10',
    'v1alpha1',
    'v10',
    'v2',
    'v11beta2',
    'v1',
    'v3beta1',
    'v12alpha1',
    'foo1',
    'v10beta3',
    'v11alpha2',
  ];
  assert.deepEqual(versions.sort(compareVersions), [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
  ]);
});
