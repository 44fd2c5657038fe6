import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { pod } from '../../test/pods.ts';
import { nextAddress } from './pod-address.ts';
import { creating, openGates, type PodReport, running, terminated } from './pod-status.ts';

const at = (second: number) => Date.parse('2026-01-01T00:00:00Z') + second * 1000;
const stamp = (second: number) => `2026-01-01T00:00:0${second}Z`;
const after = (subject: Pod, report: PodReport): Pod => ({ ...subject, status: { ...subject.status, ...report } });
const states = ({ conditions }: PodReport) =>
  Object.fromEntries(
    (conditions ?? []).map(({ type, status, lastTransitionTime }) => [type, [status, lastTransitionTime]]),
  );

let ids = 0;
const started = (isReady: boolean) => ({ podIP: '10.244.0.2', isReady, newId: () => `simulated://${++ids}` });

const fresh = pod('web', {
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: stamp(0) }] },
});

test('a pod goes through the stages that the kubelet reports', () => {
  const created = creating(fresh, at(1));
  assert.equal(created.phase, 'Pending');
  assert.deepEqual(created.containerStatuses?.[0]?.state, { waiting: { reason: 'ContainerCreating' } });
  assert.deepEqual(states(created), {
    PodReadyToStartContainers: ['False', stamp(1)],
    Initialized: ['True', stamp(1)],
    Ready: ['False', stamp(1)],
    ContainersReady: ['False', stamp(1)],
    PodScheduled: ['True', stamp(0)],
  });

  const up = running(after(fresh, created), started(false), at(2));
  assert.equal(up.phase, 'Running');
  assert.deepEqual(up.podIPs, [{ ip: '10.244.0.2' }]);
  assert.deepEqual(up.containerStatuses?.[0]?.state, { running: { startedAt: stamp(2) } });
  assert.deepEqual(states(up).PodReadyToStartContainers, ['True', stamp(2)]);
  assert.deepEqual(states(up).Ready, ['False', stamp(1)]);

  const subject = after(after(fresh, created), up);
  const ready = running(subject, started(true), at(4));
  assert.deepEqual(states(ready).Ready, ['True', stamp(4)]);
  assert.deepEqual(states(ready).Initialized, ['True', stamp(1)]);
  assert.equal(ready.containerStatuses?.[0]?.containerID, up.containerStatuses?.[0]?.containerID);
  assert.deepEqual(ready.containerStatuses?.[0]?.state, { running: { startedAt: stamp(2) } });
  assert.equal(ready.conditions?.find(({ type }) => type === 'Ready')?.reason, undefined);

  const over = terminated(after(subject, ready), 0, at(6));
  assert.equal(over.phase, 'Succeeded');
  assert.deepEqual(over.containerStatuses?.[0]?.state, {
    terminated: {
      containerID: up.containerStatuses?.[0]?.containerID,
      exitCode: 0,
      reason: 'Completed',
      startedAt: stamp(2),
      finishedAt: stamp(6),
    },
  });
  assert.equal(over.conditions?.find(({ type }) => type === 'Ready')?.reason, 'PodCompleted');
});

test('a container that is killed makes its pod fail', () => {
  const subject = after(fresh, running(fresh, started(true), at(1)));
  const over = terminated(subject, 137, at(2));
  assert.equal(over.phase, 'Failed');
  assert.equal(over.containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
  assert.equal(over.containerStatuses?.[0]?.state?.terminated?.reason, 'Error');
});

test('init containers have ended before the others run, and sidecars run with them', () => {
  const initContainers = [
    { name: 'setup', image: 'setup:1' },
    { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' },
  ];
  const subject = pod('web', { spec: { initContainers }, status: { phase: 'Pending' } });
  const up = running(subject, started(true), at(1));
  const [setup, proxy] = up.initContainerStatuses ?? [];
  assert.equal(setup?.state?.terminated?.exitCode, 0);
  assert.deepEqual(proxy?.state, { running: { startedAt: stamp(1) } });
  const over = terminated(after(subject, up), 0, at(3)).initContainerStatuses ?? [];
  assert.deepEqual(over[0], setup);
  assert.equal(over[1]?.state?.terminated?.finishedAt, stamp(3));
});

test('a readiness gate holds a pod back, and conditions of others are left alone', () => {
  const gated = (status?: string) =>
    pod('web', {
      spec: { readinessGates: [{ conditionType: 'example.com/ok' }] },
      status: { phase: 'Running', conditions: status ? [{ type: 'example.com/ok', status }] : [] },
    });
  const reasonOf = (subject: Pod) =>
    running(subject, started(true), at(1)).conditions?.find(({ type }) => type === 'Ready')?.reason;
  assert.equal(reasonOf(gated()), 'ReadinessGatesNotReady');
  assert.equal(reasonOf(gated('False')), 'ReadinessGatesNotReady');
  assert.equal(reasonOf(gated('True')), undefined);
  assert.equal(openGates(gated('True')).length, 0);
  const kept = running(gated('True'), started(true), at(1)).conditions?.at(-1);
  assert.deepEqual(kept, { type: 'example.com/ok', status: 'True' });
});

test('what is reported speaks of the generation that was seen', () => {
  const subject = pod('web', { metadata: { generation: 7 } });
  const report = creating(subject, at(1));
  assert.equal(report.observedGeneration, 7);
  assert.ok(report.conditions?.every(({ observedGeneration }) => observedGeneration === 7));
});

test('addresses are given out one after the other, begin again at the end, and are never used twice', () => {
  assert.equal(nextAddress(undefined, new Set()), '10.244.0.2');
  assert.equal(nextAddress('10.244.0.2', new Set()), '10.244.0.3');
  assert.equal(nextAddress('10.244.0.255', new Set()), '10.244.1.0');
  assert.equal(nextAddress('10.244.0.2', new Set(['10.244.0.3', '10.244.0.4'])), '10.244.0.5');
  assert.equal(nextAddress('10.244.255.254', new Set()), '10.244.0.2');
});
