/** What pods are told to do wrong, as a kubelet of Kubernetes 1.36 reported it of pods that really did. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf, play, sh } from '../../test/played-pods.ts';

const web = { name: 'web', image: 'web:1' };
const stateOf = ({ pod }: ReturnType<typeof play>) => pod.status.containerStatuses?.[0]?.state;
const notReady = 'False ContainersNotReady containers with unready status: [web]';

test('an image that cannot be pulled is tried again after 10 s, 20 s and so on', () => {
  const played = play({ containers: [web] }, 40, { told: { fails: 'ImagePullBackOff', message: 'no such image' } });
  assert.deepEqual(played.story, [
    '0 Pending web=ContainerCreating',
    '0 Pending web=ErrImagePull',
    '1 Pending web=ImagePullBackOff',
    '10 Pending web=ErrImagePull',
    '11 Pending web=ImagePullBackOff',
    '30 Pending web=ErrImagePull',
    '31 Pending web=ImagePullBackOff',
  ]);
  const message = 'Back-off pulling image "web:1": ErrImagePull: no such image';
  assert.deepEqual(stateOf(played), { waiting: { reason: 'ImagePullBackOff', message } });
  assert.deepEqual(played.events.slice(0, 5), [
    'Normal Pulling spec.containers{web}: Pulling image "web:1"',
    'Warning Failed spec.containers{web}: Failed to pull image "web:1": no such image',
    'Warning Failed spec.containers{web}: Error: ErrImagePull',
    'Normal BackOff spec.containers{web}: Back-off pulling image "web:1"',
    'Warning Failed spec.containers{web}: Error: ImagePullBackOff',
  ]);
  assert.deepEqual(conditionsOf(played.pod), {
    PodReadyToStartContainers: 'True',
    Initialized: 'True',
    Ready: notReady,
    ContainersReady: notReady,
    PodScheduled: 'True',
  });
  assert.equal(played.pod.status.podIP, '10.244.0.2');
});

test('an image that can be pulled again is, when the wait is over', () => {
  const told = (seconds: number) => (seconds < 5 ? ({ fails: 'ImagePullBackOff' } as const) : {});
  assert.equal(play({ containers: [web] }, 40, { told }).story.at(-1), '10 Running web=running+');
});

test('an image that is not there and must not be pulled is said so', () => {
  const containers = [{ ...web, imagePullPolicy: 'Never' as const }];
  const played = play({ containers }, 40, { told: { fails: 'ImagePullBackOff' } });
  const message = 'Container image "web:1" is not present with pull policy of Never';
  assert.deepEqual(stateOf(played), { waiting: { reason: 'ErrImageNeverPull', message } });
  assert.deepEqual(played.events, [
    `Warning ErrImageNeverPull spec.containers{web}: ${message}`,
    'Warning Failed spec.containers{web}: Error: ErrImageNeverPull',
  ]);
});

test('an image whose name is none is said so, without being told', () => {
  const played = play({ containers: [{ name: 'web', image: 'BAD//:name' }] }, 40);
  const message =
    'Failed to apply default image tag "BAD//:name": couldn\'t parse image name "BAD//:name": invalid reference format';
  assert.deepEqual(stateOf(played), { waiting: { reason: 'InvalidImageName', message } });
  assert.deepEqual(played.events, [
    `Warning InspectFailed spec.containers{web}: ${message}`,
    'Warning Failed spec.containers{web}: Error: InvalidImageName',
  ]);
});

test('memory that runs out ends a container as such', () => {
  const { story } = play({ containers: [web] }, 5, { told: { fails: 'OOMKilled' } });
  assert.deepEqual(story, [
    '0 Pending web=ContainerCreating',
    '0 Running web=running+',
    '1 Running web=OOMKilled(137)',
    '1 Running web=running+×1',
    '2 Running web=OOMKilled(137)×1',
    '2 Running web=CrashLoopBackOff×1',
  ]);
  const once = play({ restartPolicy: 'Never', containers: [web] }, 5, { told: { fails: 'OOMKilled' } });
  assert.equal(once.story.at(-1), '1 Failed web=OOMKilled(137)');
});

test('an exit has its code, its time and its message', () => {
  const told = { exitCode: 4, exitAfterMs: 2000, message: 'reason\n' };
  const played = play({ restartPolicy: 'Never', containers: [web] }, 5, { told });
  assert.equal(played.story.at(-1), '2 Failed web=Error(4)');
  assert.equal(stateOf(played)?.terminated?.message, 'reason\n');
  const policy = { terminationMessagePolicy: 'FallbackToLogsOnError' } as const;
  const fallback = { ...sh('web', 'echo only in the log; exit 5'), ...policy };
  assert.equal(
    stateOf(play({ restartPolicy: 'Never', containers: [fallback] }, 5))?.terminated?.message,
    'only in the log\n',
  );
});

test('a container that fails its readiness probe runs, and is not ready until it no longer does', () => {
  const readinessProbe = { exec: { command: ['false'] }, periodSeconds: 2, failureThreshold: 2 };
  const containers = [{ ...web, readinessProbe }];
  const told = { fails: 'ReadinessProbe', message: 'nope\n' } as const;
  const from = play({ containers }, 60, { told });
  assert.deepEqual(from.story, ['0 Pending web=ContainerCreating', '0 Running web=running']);
  assert.equal(from.events.at(-1), 'Warning Unhealthy spec.containers{web}: Readiness probe failed: nope\n');
  assert.equal(conditionsOf(from.pod).Ready, notReady);

  const between = (seconds: number) => (seconds >= 4 && seconds < 20 ? told : { startAfterMs: 0 });
  const wakes = [{ name: 'side', image: 'side:1', command: ['sh', '-c', 'sleep 4; exit 0'] }];
  const { story } = play({ restartPolicy: 'OnFailure', containers: [...containers, ...wakes] }, 25, { told: between });
  assert.deepEqual(
    story.filter((each) => /^[4-9] /.test(each)).map((each) => each.split(' ').at(-1)),
    ['web=running+', 'web=running'],
  );
});

test('a container that fails its liveness probe is killed and started again: twice at once, then later and later', () => {
  const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 2, failureThreshold: 2 };
  const containers = [{ ...web, livenessProbe }];
  const { story, events } = play({ containers }, 30, { told: { fails: 'LivenessProbe', message: 'sick' } });
  assert.deepEqual(story, [
    '0 Pending web=ContainerCreating',
    '0 Running web=running+',
    '3 Running web=running+×1',
    '6 Running web=running+×2',
    '9 Running web=CrashLoopBackOff×2',
    '16 Running web=running+×3',
    '19 Running web=CrashLoopBackOff×3',
    '29 Running web=running+×4',
  ]);
  assert.deepEqual(events.slice(3, 6), [
    'Warning Unhealthy spec.containers{web}: Liveness probe failed: sick',
    'Warning Unhealthy spec.containers{web}: Liveness probe failed: sick',
    'Normal Killing spec.containers{web}: Container web failed liveness probe, will be restarted',
  ]);
  const once = play({ restartPolicy: 'Never', containers }, 30, { told: { fails: 'LivenessProbe' } });
  assert.equal(once.story.at(-1), '3 Succeeded web=Completed(0)');
  assert.ok(once.events.includes('Normal Killing spec.containers{web}: Container web failed liveness probe'));
});

test('a container that fails its startup probe is never ready, and is killed', () => {
  const startupProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 2 };
  const played = play({ containers: [{ ...web, startupProbe }] }, 3, { told: { fails: 'StartupProbe' } });
  assert.deepEqual(played.story, [
    '0 Pending web=ContainerCreating',
    '0 Running web=running',
    '2 Running web=running×1',
  ]);
  assert.equal(played.pod.status.containerStatuses?.[0]?.started, false);
  const killing = 'Normal Killing spec.containers{web}: Container web failed startup probe, will be restarted';
  assert.ok(played.events.includes(killing));
});

test('what takes its time to start, to be ready or to stop is told how long', () => {
  const told = { startAfterMs: 5000, readyAfterMs: 3000, stopAfterMs: 500 };
  assert.deepEqual(play({ containers: [web] }, 60, { told, stopAt: 20 }).story, [
    '0 Pending web=ContainerCreating',
    '5 Running web=running',
    '8 Running web=running+',
    '20.5 Succeeded web=Completed(0)',
  ]);
});

test('a probe says what it would have met', () => {
  const said = (probe: object) => {
    const { events } = play({ containers: [{ ...web, readinessProbe: probe }] }, 1, {
      told: { fails: 'ReadinessProbe' },
    });
    return events.at(-1)?.split('Readiness probe failed: ')[1];
  };
  assert.equal(said({ httpGet: { port: 80 } }), 'HTTP probe failed with statuscode: 503');
  assert.equal(said({ tcpSocket: { port: 80 } }), 'dial tcp 10.244.0.2:80: connect: connection refused');
  assert.equal(said({ exec: { command: ['false'] } }), '');
});
