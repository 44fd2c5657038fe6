import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionIn } from './reported-version.ts';

for (const [output, version] of [
  ['Kubernetes v1.36.4\n', 'v1.36.4'],
  ['Kubernetes v1.37.0-rc.1\n', 'v1.37.0-rc.1'],
  ['Client Version: v1.36.4\nKustomize Version: v5.8.1\n', 'v1.36.4'],
  ['etcd Version: 3.6.16\nGit SHA: Not provided\n', 'v3.6.16'],
  ['Kubernetes v0.0.0-master+$Format:%H$\n', 'v0.0.0-master+$Format:%H$'],
  ['v1.36.4\n', 'v1.36.4'],
  ['1.36.4\n', undefined],
  ['hello', undefined],
  ['', undefined],
] as const) {
  test(`${JSON.stringify(output)} tells ${version ?? 'no version'}`, () => assert.equal(versionIn(output), version));
}
