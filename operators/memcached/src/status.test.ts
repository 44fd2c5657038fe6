import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotControlledError } from '@keelson/core';
import type { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { deployment, deploymentWith, memcached, pod, waitingPod } from '../test/fixtures.ts';
import type { MemcachedStatus } from './api/memcached.ts';
import { desiredStatefulSet } from './desired.ts';
import { eventsOf, statusOf, statusOfFailure } from './status.ts';

const running = (name: string) => pod(name, { phase: 'Running' });
const verdict = ({ conditions }: MemcachedStatus) =>
  conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

test('nodes are the running pods that are not being deleted, sorted', () => {
  const pods = [
    running('c'),
    running('a'),
    pod('b', { phase: 'Pending' }),
    pod('d', { phase: 'Running' }, '2026-01-01T00:00:00Z'),
    pod('e', { phase: 'Succeeded' }),
  ];
  assert.deepEqual(statusOf(memcached(), { workload: deploymentWith(2), pods }).nodes, ['a', 'c']);
});

test('the conditions follow what the Deployment and its pods report', () => {
  const shrinking = ['Available=True AllServersReady', 'Progressing=True RollingOut', 'Degraded=False AsExpected'];
  const rolling = ['Available=False ServersNotReady', 'Progressing=True RollingOut', 'Degraded=False AsExpected'];
  const stuck = (reason: string) => [
    'Available=False ServersNotReady',
    'Progressing=False Stuck',
    `Degraded=True ${reason}`,
  ];
  const cases: readonly [string, Deployment, readonly Pod[], readonly string[]][] = [
    [
      'all ready',
      deploymentWith(3),
      [],
      ['Available=True AllServersReady', 'Progressing=False RolledOut', 'Degraded=False AsExpected'],
    ],
    ['some ready', deploymentWith(1), [], rolling],
    ['no status yet', deployment({}), [], rolling],
    [
      'counts of an older generation',
      deployment({ observedGeneration: 0, replicas: 3, updatedReplicas: 3, readyReplicas: 3 }),
      [],
      rolling,
    ],
    [
      'ready but of an old template',
      deployment({ observedGeneration: 1, replicas: 3, updatedReplicas: 1, readyReplicas: 3 }),
      [],
      rolling,
    ],
    [
      'more than asked for',
      deployment({ observedGeneration: 1, replicas: 5, updatedReplicas: 3, readyReplicas: 3 }),
      [],
      shrinking,
    ],
    ['a pod that only starts', deploymentWith(2), [waitingPod('a', 'ContainerCreating')], rolling],
    ['an image that is not there', deploymentWith(2), [waitingPod('a', 'ImagePullBackOff')], stuck('ImagePullBackOff')],
    [
      'a quota in the way',
      deploymentWith(0, 3, [
        { type: 'ReplicaFailure', status: 'True', message: 'pods "a" is forbidden: exceeded quota' },
      ]),
      [],
      stuck('QuotaExceeded'),
    ],
    [
      'no progress for too long',
      deploymentWith(0, 3, [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]),
      [],
      stuck('ProgressDeadlineExceeded'),
    ],
  ];
  for (const [name, observed, pods, expected] of cases) {
    assert.deepEqual(verdict(statusOf(memcached(), { workload: observed, pods })), expected, name);
  }
});

test('a failing image pull is one message, in whichever of its two phases the kubelet is', () => {
  const messages = ['ErrImagePull', 'ImagePullBackOff'].map(
    (reason) =>
      statusOf(memcached(), { workload: deploymentWith(0), pods: [waitingPod('a', reason)] }).conditions?.[2]?.message,
  );
  assert.deepEqual(messages, ['Pod a: its image cannot be pulled.', 'Pod a: its image cannot be pulled.']);
});

test('a failed pass keeps what was known and says what is in the way', () => {
  const known = memcached({
    status: {
      nodes: ['a'],
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'AllServersReady',
          message: 'x',
          lastTransitionTime: 'then',
          observedGeneration: 1,
        },
      ],
    },
  });
  const next = statusOfFailure(known, new Error('the server is on fire'));
  assert.deepEqual(next.nodes, ['a']);
  assert.deepEqual(verdict(next), [
    'Available=True AllServersReady',
    'Progressing=Unknown ReconcileFailed',
    'Degraded=True ReconcileFailed',
  ]);
  assert.equal(next.conditions?.[2]?.message, 'the server is on fire');
});

test('a failed pass does not claim that what held for an older generation holds for this one', () => {
  const condition = {
    type: 'Available',
    status: 'True',
    reason: 'AllServersReady',
    message: 'x',
    lastTransitionTime: 'then',
  } as const;
  const old = memcached({ status: { conditions: [{ ...condition, observedGeneration: 0 }] } });
  assert.equal(verdict(statusOfFailure(old, new Error('refused')))?.[0], 'Available=Unknown ReconcileFailed');
});

test('while the counts are of an older generation, the pods themselves are counted', () => {
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;
  const stale = deployment({ observedGeneration: 0, replicas: 3, updatedReplicas: 3, readyReplicas: 3 });
  const { conditions } = statusOf(memcached({ size: 5 }), {
    workload: stale,
    pods: [pod('a', ready), pod('b', ready), pod('c', { phase: 'Running' })],
  });
  assert.equal(conditions?.[0]?.message, '2 of 5 servers are ready.');
});

test('a paused Memcached reports what is there and that nothing is changed, with or without a Deployment', () => {
  const paused = memcached({ paused: true });
  assert.deepEqual(verdict(statusOf(paused, { workload: deploymentWith(3), pods: [] })), [
    'Available=True AllServersReady',
    'Progressing=False Paused',
    'Degraded=False AsExpected',
  ]);
  assert.deepEqual(verdict(statusOf(paused, { workload: undefined, pods: [] })), [
    'Available=False ServersNotReady',
    'Progressing=False Paused',
    'Degraded=False AsExpected',
  ]);
  assert.deepEqual(
    eventsOf(memcached(), statusOf(paused, { workload: undefined, pods: [] })).map(
      ({ type, reason }) => `${type} ${reason}`,
    ),
    ['normal Paused'],
  );
});

test('the counts are those of the Deployment, and the selector is that of the pods', () => {
  const { replicas, readyReplicas, selector } = statusOf(memcached(), { workload: deploymentWith(2), pods: [] });
  assert.deepEqual([replicas, readyReplicas], [3, 2]);
  assert.equal(
    selector,
    'app.kubernetes.io/name=memcached,app.kubernetes.io/instance=cache,app.kubernetes.io/managed-by=memcached-operator',
  );
});

test('a server that keeps exiting is in trouble between its exits, too', () => {
  const container = {
    name: 'memcached',
    image: '',
    imageID: '',
    ready: false,
    restartCount: 2,
    state: { running: {} },
  };
  const crashed = pod('a', {
    phase: 'Running',
    containerStatuses: [{ ...container, lastState: { terminated: { exitCode: 1 } } }],
  });
  assert.equal(
    verdict(statusOf(memcached(), { workload: deploymentWith(2), pods: [crashed] }))?.[2],
    'Degraded=True CrashLoopBackOff',
  );
});

test('a Deployment of someone else is named as such', () => {
  const foreign = new NotControlledError(deploymentWith(3), { kind: 'Memcached', key: 'default/cache' });
  assert.deepEqual(verdict(statusOfFailure(memcached(), foreign))?.at(-1), 'Degraded=True DeploymentNotControlled');
});

test('a user is told what is new: ready, in trouble, recovered; and nothing twice', () => {
  const told = (before: MemcachedStatus | undefined, after: MemcachedStatus) => {
    const conditions = before?.conditions?.map((each) => ({ ...each, lastTransitionTime: 'then' }));
    const seen = memcached({ ...(conditions && { status: { conditions } }) });
    return eventsOf(seen, after).map(({ type, reason }) => `${type} ${reason}`);
  };
  const ready = statusOf(memcached(), { workload: deploymentWith(3), pods: [] });
  const rolling = statusOf(memcached(), { workload: deploymentWith(1), pods: [] });
  const broken = statusOf(memcached(), { workload: deploymentWith(1), pods: [waitingPod('a', 'CrashLoopBackOff')] });

  assert.deepEqual(told(undefined, rolling), []);
  assert.deepEqual(told(rolling, ready), ['normal AllServersReady']);
  assert.deepEqual(told(ready, ready), []);
  assert.deepEqual(told(ready, broken), ['warning CrashLoopBackOff']);
  assert.deepEqual(told(broken, broken), []);
  assert.deepEqual(told(broken, ready), ['normal AllServersReady', 'normal Recovered']);
});

const change = { class: 'Roll', fields: ['spec.image'], reason: 'x', revision: 'abc' } as const;

test('a rollout of a StatefulSet leaves it available while all are ready, and is not over before all are new', () => {
  const owner = memcached({ workload: 'StatefulSet' });
  const { metadata } = deploymentWith(3);
  const spec = desiredStatefulSet(owner, 1).spec ?? assert.fail();
  const set = (updatedReplicas: number): StatefulSet => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec,
    status: { observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas },
  });
  const seen = statusOf(owner, { workload: set(1), pods: [], change, waitsFor: 'cache-2 fills its cache.' });
  assert.deepEqual(verdict(seen), [
    'Available=True AllServersReady',
    'Progressing=True RollingOut',
    'Degraded=False AsExpected',
  ]);
  assert.equal(seen.conditions?.[1]?.message, '3 of 3 servers are ready. cache-2 fills its cache.');
  assert.deepEqual([seen.updatedReplicas, seen.change, seen.version], [1, change, '1.6.26']);
  assert.equal(verdict(statusOf(owner, { workload: set(3), pods: [] }))?.[1], 'Progressing=False RolledOut');
});

test('a change that is held is told once, with the command that lets it go, when nothing else is under way', () => {
  const held = { ...change, held: true };
  const still = statusOf(memcached(), { workload: deploymentWith(3), pods: [], change: held });
  assert.equal(verdict(still)?.[1], 'Progressing=False Held');
  assert.match(
    still.conditions?.[1]?.message ?? '',
    /: kubectl annotate memcached cache --namespace default --overwrite cache\.example\.com\/approved-revision=abc$/,
  );
  assert.deepEqual(
    eventsOf(memcached(), still).map(({ reason }) => reason),
    ['AllServersReady', 'Held'],
  );
  const stuck = statusOf(memcached(), {
    workload: deploymentWith(2),
    pods: [waitingPod('a', 'ImagePullBackOff')],
    change: held,
  });
  assert.equal(verdict(stuck)?.[1], 'Progressing=False Stuck');
  assert.match(
    stuck.conditions?.[1]?.message ?? '',
    /^2 of 3 .* lets the change go: kubectl annotate/,
    'it may be the cure',
  );
  const busy = statusOf(memcached(), { workload: deploymentWith(2), pods: [], change: held });
  assert.equal(verdict(busy)?.[1], 'Progressing=True RollingOut');
});

test('a failed pass keeps what clients and people read', () => {
  const known = { updatedReplicas: 2, endpoints: ['a:1'], version: '1.6.26', change };
  const {
    updatedReplicas,
    endpoints,
    version,
    change: kept,
  } = statusOfFailure(memcached({ status: known }), new Error('x'));
  assert.deepEqual({ updatedReplicas, endpoints, version, change: kept }, known);
});
