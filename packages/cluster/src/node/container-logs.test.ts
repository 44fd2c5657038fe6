import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus } from '@keelson/core/v1';
import { pod } from '../../test/pods.ts';
import { whyNoLog } from './container-logs.ts';

const status = (state: ContainerStatus['state'], lastState: ContainerStatus['lastState'] = {}): ContainerStatus => ({
  name: 'web',
  image: 'web:1',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  lastState,
});
const withStatus = (each: ContainerStatus) => pod('a', { status: { containerStatuses: [each] } });
const ended = { terminated: { exitCode: 0, containerID: 'simulated://1' } };
const lost = { terminated: { exitCode: 0 } };

test('a container has a log when it runs or has run', () => {
  assert.equal(whyNoLog(withStatus(status({ running: {} })), 'web', false), undefined);
  assert.equal(whyNoLog(withStatus(status(ended)), 'web', false), undefined);
  assert.equal(whyNoLog(withStatus(status({ waiting: {} }, ended)), 'web', false), undefined);
  assert.equal(whyNoLog(withStatus(status({ running: {} }, ended)), 'web', true), undefined);
  assert.equal(whyNoLog(pod('a', { status: { initContainerStatuses: [status(ended)] } }), 'web', false), undefined);
});

test('a container without a log is refused in the kubelet’s words', () => {
  const cases = [
    [pod('a'), false, 'container "web" in pod "a" is not available'],
    [withStatus(status({ running: {} })), true, 'previous terminated container "web" in pod "a" not found'],
    [withStatus(status(lost)), false, 'container "web" in pod "a" is terminated'],
    [
      withStatus(status({ waiting: { reason: 'ContainerCreating' } })),
      false,
      'container "web" in pod "a" is waiting to start: ContainerCreating',
    ],
    [withStatus(status({})), false, 'container "web" in pod "a" is waiting to start - no logs yet'],
  ] as const;
  for (const [of, previous, message] of cases) assert.equal(whyNoLog(of, 'web', previous), message);
});
