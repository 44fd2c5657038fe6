import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@keelson/core';
import type { ContainerStatus, PodStatus } from '@keelson/core/v1';
import { deploymentWith, pod, waitingPod } from '../test/fixtures.ts';
import { troubleOf, troubleOfFailure } from './trouble.ts';

const container: ContainerStatus = { name: 'memcached', image: '', imageID: '', ready: false, restartCount: 0 };
const exited = (reason: string) => ({ terminated: { exitCode: 137, reason } });
const told = (status: PodStatus) => {
  const trouble = troubleOf(deploymentWith(0), [pod('a', status)]);
  return trouble && `${trouble.reason} ${trouble.message}`;
};

test('a pod in trouble is told with its real reason', () => {
  const crashing: ContainerStatus = { ...container, restartCount: 3, lastState: exited('Error') };
  const cases: readonly [PodStatus, string | undefined][] = [
    [{ phase: 'Running', containerStatuses: [{ ...container, state: { running: {} } }] }, undefined],
    [{ phase: 'Running', containerStatuses: [{ ...crashing, ready: true }] }, undefined],
    [{ phase: 'Running', containerStatuses: [crashing] }, 'CrashLoopBackOff Pod a: its server keeps exiting.'],
    [
      { phase: 'Running', containerStatuses: [{ ...container, state: exited('Error') }] },
      'CrashLoopBackOff Pod a: its server keeps exiting.',
    ],
    [
      { phase: 'Running', containerStatuses: [{ ...crashing, lastState: exited('OOMKilled') }] },
      'OOMKilled Pod a: its server was killed because memory ran out.',
    ],
    [
      {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available.' },
        ],
      },
      'Unschedulable Pod a: it finds no node: 0/1 nodes are available.',
    ],
    [{ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] }, undefined],
  ];
  for (const [status, expected] of cases) assert.equal(told(status), expected);
});

test('a container that waits is in trouble when help is needed, and only then', () => {
  for (const [waiting, reason] of [
    ['ContainerCreating', undefined],
    ['PodInitializing', undefined],
    ['ErrImagePull', 'ImagePullBackOff'],
    ['ImagePullBackOff', 'ImagePullBackOff'],
    ['InvalidImageName', 'InvalidImageName'],
    ['ErrImageNeverPull', 'ErrImageNeverPull'],
    ['CreateContainerConfigError', 'CreateContainerConfigError'],
    ['CreateContainerError', 'CreateContainerError'],
    ['RunContainerError', 'RunContainerError'],
  ] as const) {
    assert.equal(troubleOf(deploymentWith(0), [waitingPod('a', waiting)])?.reason, reason, waiting);
  }
});

test('a pod that is being deleted is no trouble, and of several the first by name is told', () => {
  const leaving = { ...waitingPod('a', 'ImagePullBackOff') };
  const pods = [waitingPod('c', 'InvalidImageName'), waitingPod('b', 'CreateContainerError')];
  const gone = pod('a', leaving.status, '2026-01-01T00:00:00Z');
  assert.equal(troubleOf(deploymentWith(0), [...pods, gone])?.message, 'Pod b: its container cannot be created.');
});

test('what admission refuses is told apart by its sentence', () => {
  const quota = 'pods "cache-x" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0';
  const standard = 'pods "cache-x" is forbidden: violates PodSecurity "restricted:latest"';
  const leaving = 'forbidden: unable to create new content in namespace a because it is being terminated';
  for (const [message, ofPods, ofOurs] of [
    [quota, 'QuotaExceeded', 'QuotaExceeded'],
    [standard, 'Forbidden', 'Forbidden'],
    [leaving, 'NamespaceTerminating', 'NamespaceTerminating'],
    ['the server is on fire', 'PodsNotCreated', 'Forbidden'],
  ] as const) {
    const failing = deploymentWith(0, 3, [{ type: 'ReplicaFailure', status: 'True', message }]);
    assert.deepEqual(troubleOf(failing, []), { reason: ofPods, message: `Pods cannot be created: ${message}` });
    const error = new ApiError('create deployments a/b', { code: 403, reason: 'Forbidden', message });
    assert.equal(troubleOfFailure(error).reason, ofOurs);
  }
});

test('an error that is no refusal is a failed reconcile', () => {
  const error = new ApiError('get pods a/b', { code: 500, reason: 'InternalError', message: 'access is forbidden' });
  assert.deepEqual(troubleOfFailure(error), { reason: 'ReconcileFailed', message: error.message });
  assert.deepEqual(troubleOfFailure('odd'), { reason: 'ReconcileFailed', message: 'odd' });
});
