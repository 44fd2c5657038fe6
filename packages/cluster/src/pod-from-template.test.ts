import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { replicaSet } from '../test/deployments.ts';
import { podFromTemplate } from './pod-from-template.ts';

test('a pod is made from the template, named after and controlled by its ReplicaSet', () => {
  const subject = replicaSet('a');
  assert.deepEqual(podFromTemplate(ReplicaSet, subject, subject.spec.template), {
    metadata: {
      generateName: 'web-a-',
      namespace: 'default',
      labels: subject.metadata.labels,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-a',
          uid: 'a',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: subject.spec.template?.spec,
  });
  const long = replicaSet('a', { metadata: { name: 'w'.repeat(253) } });
  assert.equal(podFromTemplate(ReplicaSet, long).metadata.generateName?.length, 253);
});
