/** Lives as a kubelet of Kubernetes 1.36 reported them, for pods of the same specification (busybox, `sh -c …`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { conditionsOf, epoch, play, sh } from '../../test/played-pods.ts';
import { pod } from '../../test/pods.ts';
import { PodLife } from './pod-life.ts';
import { openGates } from './pod-status.ts';
import { scriptOf } from './script.ts';

test('a pod that is not restarted succeeds when all its containers have', () => {
  const {
    story,
    pod: ended,
    events,
  } = play({ restartPolicy: 'Never', containers: [sh('long', 'sleep 8'), sh('brief', 'echo hello')] }, 60);
  assert.deepEqual(story, [
    '0 Pending brief=ContainerCreating long=ContainerCreating',
    '0 Running brief=Completed(0) long=running+',
    '8 Succeeded brief=Completed(0) long=Completed(0)',
  ]);
  assert.deepEqual(conditionsOf(ended), {
    PodReadyToStartContainers: 'False',
    Initialized: 'True PodCompleted',
    Ready: 'False PodCompleted',
    ContainersReady: 'False PodCompleted',
    PodScheduled: 'True',
  });
  assert.deepEqual(events.slice(0, 3), [
    'Normal Pulled spec.containers{long}: Container image "busybox:stable" already present on machine and can be accessed by the pod',
    'Normal Created spec.containers{long}: Container created',
    'Normal Started spec.containers{long}: Container started',
  ]);
});

test('one container that fails makes the pod fail, when the last has ended', () => {
  const { story, pod: ended } = play(
    { restartPolicy: 'Never', containers: [sh('bad', 'sleep 1; exit 3'), sh('good', 'sleep 8')] },
    60,
  );
  assert.deepEqual(story, [
    '0 Pending bad=ContainerCreating good=ContainerCreating',
    '0 Running bad=running+ good=running+',
    '1 Running bad=Error(3) good=running+',
    '8 Failed bad=Error(3) good=Completed(0)',
  ]);
  assert.equal(conditionsOf(ended).Ready, 'False PodFailed');
  assert.equal(conditionsOf(ended).Initialized, 'True');
  const [bad] = ended.status.containerStatuses ?? [];
  assert.deepEqual(bad?.state?.terminated, {
    containerID: 'simulated://1',
    exitCode: 3,
    reason: 'Error',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:01Z',
  });
});

test('OnFailure restarts what failed, and not what succeeded', () => {
  const containers = [sh('bad', 'exit 1'), sh('good', 'exit 0')];
  assert.deepEqual(play({ restartPolicy: 'OnFailure', containers }, 25).story, [
    '0 Pending bad=ContainerCreating good=ContainerCreating',
    '0 Running bad=Error(1) good=Completed(0)',
    '0 Running bad=Error(1)×1 good=Completed(0)',
    '0 Running bad=CrashLoopBackOff×1 good=Completed(0)',
    '10 Running bad=Error(1)×2 good=Completed(0)',
    '10 Running bad=CrashLoopBackOff×2 good=Completed(0)',
  ]);
});

test('a container that crashes is restarted at once, then after 10 s, and twice as long each time, up to five minutes', () => {
  const { story, events, pod: subject } = play({ containers: [sh('web', 'sleep 3; exit 2')] }, 1700);
  const starts = story.filter((each) => each.includes('running')).map((each) => Number(each.split(' ')[0]));
  assert.deepEqual(starts, [0, 3, 16, 39, 82, 165, 328, 631, 934, 1237, 1540]);
  assert.deepEqual(
    story.filter((each) => each.startsWith('6 ')),
    ['6 Running web=Error(2)×1', '6 Running web=CrashLoopBackOff×1'],
  );
  const backOff = (delay: string) => `back-off ${delay} restarting failed container=web pod=a_default(a)`;
  assert.equal(subject.status.containerStatuses?.[0]?.state?.waiting?.message, backOff('5m0s'));
  assert.equal(subject.status.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 2);
  const wait = play({ containers: [sh('web', 'exit 2')] }, 100).pod.status.containerStatuses?.[0]?.state?.waiting;
  assert.equal(wait?.message, backOff('1m20s'));
  assert.ok(
    events.includes(
      'Warning BackOff spec.containers{web}: Back-off restarting failed container web in pod a_default(a)',
    ),
  );
  assert.equal(conditionsOf(subject).Ready, 'False ContainersNotReady containers with unready status: [web]');
});

test('ten quiet minutes, and the wait begins anew', () => {
  const told = (seconds: number) => ({ exitCode: 1, exitAfterMs: seconds < 50 ? 0 : 700_000 });
  const { story } = play({ containers: [{ name: 'web', image: 'web:1' }] }, 800, { told });
  assert.deepEqual(story.slice(-2), ['770 Running web=Error(1)×4', '770 Running web=running+×5']);
});

test('init containers end one after the other, and sidecars run before what follows them', () => {
  const initContainers = [
    sh('one', 'sleep 2'),
    sh('side', 'sleep 3600', { restartPolicy: 'Always' }),
    sh('two', 'sleep 1'),
  ];
  const { story, pod: subject } = play({ initContainers, containers: [sh('web', 'sleep 3600')] }, 10);
  assert.deepEqual(story, [
    '0 Pending one=PodInitializing side=PodInitializing two=PodInitializing web=PodInitializing',
    '0 Pending one=running side=PodInitializing two=PodInitializing web=PodInitializing',
    '2 Pending one=Completed(0)+ side=running+ two=running web=PodInitializing',
    '3 Running one=Completed(0)+ side=running+ two=Completed(0)+ web=running+',
  ]);
  assert.equal(conditionsOf(subject).Initialized, 'True');
  const early = play({ initContainers, containers: [sh('web', 'sleep 3600')] }, 1).pod;
  assert.equal(
    conditionsOf(early).Initialized,
    'False ContainersNotInitialized containers with incomplete status: [one side two]',
  );
  assert.equal(conditionsOf(early).Ready, 'False ContainersNotReady containers with unready status: [side web]');
});

test('an init container that fails is restarted, or is the end of its pod', () => {
  const spec = { initContainers: [sh('setup', 'exit 7')], containers: [sh('web', 'sleep 3600')] };
  assert.deepEqual(play(spec, 15).story.slice(-2), [
    '10 Pending setup=Error(7)×2 web=PodInitializing',
    '10 Pending setup=CrashLoopBackOff×2 web=PodInitializing',
  ]);
  const { story, pod: subject } = play({ ...spec, restartPolicy: 'Never' }, 15);
  assert.equal(story.at(-1), '0 Failed setup=Error(7) web=PodInitializing');
  assert.equal(
    conditionsOf(subject).Initialized,
    'False ContainersNotInitialized containers with incomplete status: [setup]',
  );
  assert.equal(conditionsOf(subject).Ready, 'False PodFailed');
});

test('sidecars are stopped when the work is done', () => {
  const initContainers = [sh('side', 'sleep 3600', { restartPolicy: 'Always' })];
  const { story, events } = play({ restartPolicy: 'Never', initContainers, containers: [sh('web', 'sleep 2')] }, 15);
  assert.deepEqual(story.slice(-2), [
    '2 Running side=running+ web=Completed(0)',
    '3 Succeeded side=Completed(0) web=Completed(0)',
  ]);
  assert.equal(events.at(-1), 'Normal Killing spec.initContainers{side}: Stopping container side');
});

test('who is stopped in time ends well, and is killed otherwise', () => {
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  const gentle = play(spec, 30, { stopAt: 5 });
  assert.equal(gentle.story.at(-1), '6 Succeeded web=Completed(0)');
  assert.equal(gentle.events.at(-1), 'Normal Killing spec.containers{web}: Stopping container web');
  const stubborn = play(spec, 30, { stopAt: 5, told: { stopAfterMs: 60_000 } });
  assert.equal(stubborn.story.at(-1), '7 Failed web=Error(137)');
  const crashing = play({ containers: [sh('web', 'exit 2')] }, 30, { stopAt: 5 });
  assert.equal(crashing.story.at(-1), '5 Failed web=Error(2)×1');
});

test('a pod that is active for too long fails', () => {
  const {
    story,
    pod: subject,
    events,
  } = play({ activeDeadlineSeconds: 4, containers: [{ name: 'web', image: 'web:1' }] }, 30);
  assert.equal(story.at(-1), '5 Failed web=Completed(0)');
  const message = 'Pod was active on the node longer than the specified deadline';
  assert.equal(subject.status.reason, 'DeadlineExceeded');
  assert.equal(subject.status.message, message);
  assert.ok(events.includes(`Normal DeadlineExceeded : ${message}`));
});

test('the work of a Job ends by itself', () => {
  const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job', controller: true };
  const worker = pod('a', { metadata: { ownerReferences: [job] } });
  const container = { name: 'web', image: 'web:1' };
  const pace = { readyAfterMs: 500, stopAfterMs: 0 };
  assert.deepEqual(scriptOf(worker, container, 'main', pace).end, { afterMs: 1500, exitCode: 0, message: undefined });
  assert.equal(scriptOf(pod('a'), container, 'main', pace).end, undefined);
});

test('what an earlier process reported goes on', () => {
  const { pod: before } = play({ containers: [sh('web', 'sleep 3; exit 2')] }, 4);
  const told: string[] = [];
  const life = new PodLife(
    before,
    {
      script: (of, container, role) => scriptOf(of, container, role, { readyAfterMs: 0, stopAfterMs: 0 }),
      newAddress: () => assert.fail('it has one'),
      newId: () => 'simulated://new',
      tell: (_, { reason }) => told.push(reason),
    },
    { wallMs: epoch + 5000, monotonicMs: 77 },
  );
  assert.equal(life.advance(before, { wallMs: epoch + 5000, monotonicMs: 77 }), 1000);
  assert.deepEqual(
    life.report(before, { wallMs: epoch + 5000, monotonicMs: 77 }).containerStatuses,
    before.status.containerStatuses,
  );
  assert.deepEqual(told, []);
});

test('a readiness gate holds a pod back, and conditions of others are left alone', () => {
  const gated = (status?: string) =>
    pod('web', {
      spec: { readinessGates: [{ conditionType: 'example.com/ok' }] },
      status: { conditions: status ? [{ type: 'example.com/ok', status }] : [] },
    });
  const report = (subject: Pod) => {
    const { life } = play({ containers: subject.spec.containers }, 1);
    return life.report(subject, { wallMs: epoch, monotonicMs: 0 }).conditions ?? [];
  };
  const reasonOf = (subject: Pod) => report(subject).find(({ type }) => type === 'Ready')?.reason;
  assert.equal(reasonOf(gated()), 'ReadinessGatesNotReady');
  assert.equal(reasonOf(gated('False')), 'ReadinessGatesNotReady');
  assert.equal(reasonOf(gated('True')), undefined);
  assert.equal(openGates(gated('True')).length, 0);
  assert.deepEqual(report(gated('True')).at(-1), { type: 'example.com/ok', status: 'True' });
});

test('a condition’s time changes with its status, and speaks of the generation that was seen', () => {
  const { pod: subject } = play({ containers: [sh('web', 'sleep 3; exit 2')] }, 4);
  const times = Object.fromEntries(
    (subject.status.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime?.slice(17, 19)]),
  );
  assert.deepEqual(times, {
    PodReadyToStartContainers: '00',
    Initialized: '00',
    Ready: '03',
    ContainersReady: '03',
    PodScheduled: '00',
  });
  assert.ok(subject.status.conditions?.every(({ observedGeneration }) => observedGeneration === 1));
  assert.equal(subject.status.observedGeneration, 1);
});
