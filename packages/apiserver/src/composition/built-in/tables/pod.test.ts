import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { readAs } from '../../../object.ts';
import { podSummary } from './pod.ts';

interface Case {
  readonly says: string;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status: object;
  readonly expected: readonly [ready: string, reason: string, restarts: number];
}

const spec = { containers: [{ name: 'a' }, { name: 'b' }] };
const running = { state: { running: {} }, ready: true, restartCount: 0 };

const cases: readonly Case[] = [
  { says: 'waits', status: { phase: 'Pending' }, expected: ['0/2', 'Pending', 0] },
  {
    says: 'runs',
    status: { phase: 'Running', containerStatuses: [running, { ...running, restartCount: 2 }] },
    expected: ['2/2', 'Running', 2],
  },
  {
    says: 'crashes',
    status: {
      phase: 'Running',
      containerStatuses: [
        { state: { waiting: { reason: 'CrashLoopBackOff' } }, ready: false, restartCount: 5 },
        running,
      ],
    },
    expected: ['1/2', 'CrashLoopBackOff', 5],
  },
  {
    says: 'has failed without saying why',
    status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 3 } }, restartCount: 0 }] },
    expected: ['0/2', 'ExitCode:3', 0],
  },
  {
    says: 'is initialised',
    spec: { ...spec, initContainers: [{ name: 'i' }, { name: 'j' }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        { name: 'i', state: { terminated: { exitCode: 0 } }, restartCount: 0 },
        { name: 'j', state: { running: {} }, restartCount: 0 },
      ],
    },
    expected: ['0/2', 'Init:1/2', 0],
  },
  {
    says: 'counts sidecars',
    spec: { ...spec, initContainers: [{ name: 's', restartPolicy: 'Always' }] },
    status: {
      phase: 'Running',
      initContainerStatuses: [{ name: 's', started: true, ready: true, state: { running: {} }, restartCount: 1 }],
      containerStatuses: [running, running],
    },
    expected: ['3/3', 'Running', 1],
  },
  {
    says: 'is being deleted',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase: 'Running', containerStatuses: [running, running] },
    expected: ['2/2', 'Terminating', 0],
  },
  { says: 'was evicted', status: { phase: 'Failed', reason: 'Evicted' }, expected: ['0/2', 'Evicted', 0] },
];

for (const { says, expected, ...object } of cases) {
  test(`a pod that ${says} is shown as ${expected.join(' ')}`, () => {
    const { ready, total, reason, restarts } = podSummary(
      readAs<Pod>({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec, ...object }),
    );
    assert.deepEqual([`${ready}/${total}`, reason, restarts], expected);
  });
}
