import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import type { Event, Pod } from '@keelson/core/v1';
import { type RolloutSight, rolloutState } from './rollout-state.ts';

const annotations = { 'deployment.kubernetes.io/revision': '2' };
const owned = (uid: string) => [{ apiVersion: 'apps/v1', kind: 'Any', name: 'any', uid, controller: true }];

const deployment = (status: object = {}, generation = 2) =>
  ({
    metadata: { name: 'web', namespace: 'blue', uid: 'd', generation, annotations },
    spec: { replicas: 2 },
    status: { observedGeneration: 2, ...status },
  }) as unknown as Deployment;

const replicaSet = (uid: string, of = '2') =>
  ({
    metadata: {
      name: `web-${uid}`,
      uid,
      ownerReferences: owned('d'),
      annotations: { 'deployment.kubernetes.io/revision': of },
    },
  }) as unknown as ReplicaSet;

interface PodGiven {
  readonly name?: string;
  readonly of?: string;
  readonly conditions?: readonly object[];
  readonly container?: object;
  readonly metadata?: object;
  readonly isPlaced?: boolean;
}

const pod = ({ name = 'web-1', of = 'new', conditions = [], container, metadata, isPlaced = true }: PodGiven) =>
  ({
    metadata: { name, namespace: 'blue', uid: name, ownerReferences: owned(of), ...metadata },
    spec: isPlaced ? { nodeName: 'node' } : {},
    status: {
      conditions,
      containerStatuses: container ? [{ name: 'manager', image: 'web:1', ready: false, ...container }] : [],
    },
  }) as unknown as Pod;

const event = (reason: string, message: string, uid = 'web-1', lastTimestamp = '2026-01-01T00:00:00Z') =>
  ({ reason, message, type: 'Warning', involvedObject: { uid }, lastTimestamp }) as unknown as Event;

const stateOf = (given: Partial<RolloutSight>) =>
  rolloutState({
    deployment: deployment(),
    replicaSets: [replicaSet('old', '1'), replicaSet('new')],
    pods: [],
    events: [],
    ...given,
  });

test('a rollout is done when all pods are new and available, and no older one is left', () => {
  const all = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  assert.equal(stateOf({ deployment: deployment(all) }).isDone, true);
  assert.equal(stateOf({ deployment: deployment(all, 3) }).isDone, false, 'the change is not seen yet');
  assert.equal(stateOf({ deployment: deployment({ ...all, replicas: 3 }) }).isDone, false);
  assert.equal(stateOf({ deployment: deployment({ ...all, updatedReplicas: 1 }) }).isDone, false);
  assert.equal(stateOf({ deployment: deployment({ ...all, availableReplicas: 1 }) }).isDone, false);
});

test('only pods of the new revision count', () => {
  const ready = [{ type: 'Ready', status: 'True' }];
  const { ready: count, pods } = stateOf({
    pods: [pod({ conditions: ready }), pod({ name: 'web-0', of: 'old', conditions: ready }), pod({ name: 'web-2' })],
  });
  assert.equal(count, 1);
  assert.deepEqual(
    pods.map(({ text }) => text),
    ['web-1 is ready', 'web-2 is starting'],
  );
});

const waiting = (reason: string, message?: string) => ({ container: { state: { waiting: { reason, message } } } });
const ended = (restartCount: number, terminated: object) => ({
  container: { restartCount, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } },
});

const causes: readonly (readonly [what: string, given: Partial<RolloutSight>, text: RegExp, isFinal: boolean])[] = [
  [
    'an image that is not there',
    { pods: [pod(waiting('ImagePullBackOff', 'Back-off pulling image "web:1": not found'))] },
    /^web-1 cannot pull web:1 \(not found\)$/,
    true,
  ],
  ['a pull that failed once', { pods: [pod(waiting('ErrImagePull', 'timeout'))] }, /pull web:1 \(timeout\)$/, false],
  [
    'a user that is root',
    { pods: [pod(waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root'))] },
    /^web-1 cannot be started: container has runAsNonRoot/,
    true,
  ],
  ['a second crash', { pods: [pod(ended(1, { exitCode: 1 }))] }, /^web-1 has ended once more \(exit code 1\)$/, true],
  ['a third one', { pods: [pod(ended(2, { exitCode: 1 }))] }, /^web-1 has ended again \(exit code 1\)$/, true],
  [
    'the first crash',
    {
      pods: [pod({ container: { restartCount: 0, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } } })],
    },
    /^web-1 has ended \(it used more memory than its limit\)$/,
    false,
  ],
  [
    'no node',
    {
      pods: [
        pod({
          isPlaced: false,
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
        }),
      ],
    },
    /^web-1 finds no node: 0\/1 nodes$/,
    false,
  ],
  [
    'a quota',
    {
      deployment: deployment({
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'pods "x" is forbidden: exceeded quota: q' }],
      }),
    },
    /^no pod can be made: pods "x" is forbidden: exceeded quota: q$/,
    true,
  ],
  [
    'security admission',
    {
      deployment: deployment({
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'violates PodSecurity "restricted:latest"' }],
      }),
    },
    /^no pod can be made: violates PodSecurity/,
    true,
  ],
  [
    'a volume that does not come',
    { pods: [pod({})], events: [event('FailedMount', 'secret "x" not found'), event('FailedMount', 'other', 'web-2')] },
    /^web-1 is not started: secret "x" not found$/,
    false,
  ],
  [
    'readiness',
    {
      pods: [pod({ container: { state: { running: {} } } })],
      events: [
        event('Unhealthy', 'Readiness probe: 503', 'web-1', '2026-01-01T00:00:05Z'),
        event('Unhealthy', 'Readiness probe: connection refused'),
      ],
    },
    /^web-1 runs and is not ready: Readiness probe: 503$/,
    false,
  ],
];
for (const [what, given, text, isFinal] of causes) {
  test(`why a pod does not start is told: ${what}`, () => {
    const { problem } = stateOf(given);
    assert.match(problem?.text ?? '', text);
    assert.equal(problem?.isFinal, isFinal);
  });
}

test('of several problems the one that waiting does not mend is told', () => {
  const { problem } = stateOf({
    pods: [pod(waiting('ErrImagePull', 'timeout')), pod({ name: 'web-2', ...waiting('InvalidImageName') })],
  });
  assert.match(problem?.text ?? '', /^web-2/);
});

test('a pod that is being deleted, and one that runs again after a crash, have no problem', () => {
  const stopping = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const again = { restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } };
  const { problem, pods } = stateOf({
    pods: [
      pod({ ...waiting('ImagePullBackOff'), metadata: stopping }),
      pod({ name: 'web-2', container: again }),
      pod({ name: 'web-3', isPlaced: false }),
    ],
  });
  assert.equal(problem, undefined);
  assert.deepEqual(
    pods.map(({ text }) => text),
    ['web-1 is stopping', 'web-2 runs and is not ready yet', 'web-3 waits for a node'],
  );
});
