/** What a hand changes about the objects of a Memcached, and the operator puts back: everything that it describes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Service } from '@keelson/core/v1';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedAlone } from './alone.ts';

const key = 'default/cache';
const container = '/spec/template/spec/containers/0';
const pod = '/spec/template/spec';

/** A value that the API server takes and the operator must not leave, for each field of the Deployment. */
const edits: Readonly<Record<string, unknown>> = {
  '/spec/replicas': 5,
  '/spec/progressDeadlineSeconds': 90,
  '/spec/strategy/rollingUpdate/maxSurge': 3,
  '/spec/strategy/rollingUpdate/maxUnavailable': 0,
  [`${pod}/automountServiceAccountToken`]: true,
  [`${pod}/terminationGracePeriodSeconds`]: 5,
  [`${pod}/securityContext/runAsNonRoot`]: false,
  [`${pod}/securityContext/seccompProfile/type`]: 'Unconfined',
  [`${container}/image`]: 'busybox:1',
  [`${container}/imagePullPolicy`]: 'Always',
  [`${container}/command`]: ['sleep', '1'],
  [`${container}/ports/0/name`]: 'other',
  [`${container}/resources/requests/cpu`]: '1m',
  [`${container}/resources/requests/memory`]: '1Mi',
  ...Object.fromEntries(
    ['readinessProbe', 'livenessProbe'].flatMap((probe) => [
      [`${container}/${probe}/tcpSocket/port`, 80],
      [`${container}/${probe}/timeoutSeconds`, 9],
      [`${container}/${probe}/failureThreshold`, 99],
      [`${container}/${probe}/periodSeconds`, 1],
    ]),
  ),
  [`${container}/livenessProbe/initialDelaySeconds`]: 3,
  [`${container}/securityContext/runAsNonRoot`]: false,
  [`${container}/securityContext/runAsUser`]: 0,
  [`${container}/securityContext/allowPrivilegeEscalation`]: true,
  [`${container}/securityContext/capabilities/drop`]: ['KILL'],
};

async function started(log: (line: string) => void = () => {}): Promise<TestCluster> {
  const cluster = await startCluster({ operators: [memcachedAlone], log });
  await cluster.client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec: { size: 2 } });
  await cluster.eventually(Memcached, key, (each) => conditionOf(each, 'Available').status === 'True');
  return cluster;
}

test('each field of the Deployment that a hand changed is put back', async () => {
  await using cluster = await started();
  const before = (await cluster.client.get(Deployment, key)).spec;
  const patch = Object.entries(edits).map(([path, value]) => ({ op: 'replace' as const, path, value }));
  const edited = await cluster.client.patch(Deployment, key, patch);
  assert.notDeepEqual(edited.spec, before);

  const after = await cluster.eventually(
    Deployment,
    key,
    ({ metadata }) => metadata.generation !== edited.metadata.generation,
  );

  assert.deepEqual(after.spec, before);
  await cluster.eventually(Memcached, key, (each) => conditionOf(each, 'Available').status === 'True');
});

test('a container and a label that a hand removed or added are put right', async () => {
  await using cluster = await started();
  const before = await cluster.client.get(Deployment, key);
  const edited = await cluster.client.patch(Deployment, key, [
    { op: 'replace', path: `${container}/name`, value: 'renamed' },
    { op: 'add', path: `${pod}/containers/-`, value: { name: 'sidecar', image: 'sidecar:1' } },
    { op: 'remove', path: '/metadata/labels/app.kubernetes.io~1instance' },
  ]);

  await cluster.eventually(Deployment, key, ({ metadata }) => metadata.generation !== edited.metadata.generation);
  await cluster.clock.advance(60_000);

  const after = await cluster.client.get(Deployment, key);
  assert.deepEqual(after.spec, before.spec);
  assert.deepEqual(after.metadata.labels, before.metadata.labels);
});

test('a port of the Service that a hand changed is put back, and so are its selector and the budget', async () => {
  await using cluster = await started();
  const before = await cluster.client.get(Service, key);
  const budget = await cluster.client.get(PodDisruptionBudget, key);

  await cluster.client.patch(Service, key, [
    { op: 'replace', path: '/spec/ports/0/port', value: 11212 },
    { op: 'replace', path: '/spec/selector/app.kubernetes.io~1instance', value: 'other' },
    { op: 'remove', path: '/spec/publishNotReadyAddresses' },
  ]);
  await cluster.client.patch(PodDisruptionBudget, key, { spec: { maxUnavailable: '100%' } });
  await cluster.clock.advance(60_000);

  assert.deepEqual((await cluster.client.get(Service, key)).spec, before.spec);
  assert.deepEqual((await cluster.client.get(PodDisruptionBudget, key)).spec, budget.spec);
});

test('a deleted Service and a deleted budget come back', async () => {
  await using cluster = await started();
  const kinds = [Service, PodDisruptionBudget] as const;
  const uidOf = async (kind: (typeof kinds)[number]) => (await cluster.client.get(kind, key)).metadata.uid;
  const before = await Promise.all(kinds.map(uidOf));
  for (const kind of kinds) await cluster.client.delete(kind, key);

  await cluster.clock.advance(60_000);

  const after = await Promise.all(kinds.map(uidOf));
  assert.ok(after.every((uid, index) => uid !== before[index]));
});

test('another number of servers than was asked for is logged, with both numbers as they were', async () => {
  const lines: string[] = [];
  await using cluster = await started((line) => lines.push(line));
  const drifts = () => lines.flatMap((line) => /Detected a drift .*(expect=\d actual=\d)/.exec(line)?.[1] ?? []);
  assert.deepEqual(drifts(), [], 'what is made for the first time has not drifted');

  await cluster.client.patch(Deployment, key, { spec: { replicas: 5 } });
  await cluster.clock.advance(10_000);
  await cluster.client.patch(Memcached, key, { spec: { size: 3 } });
  await cluster.clock.advance(10_000);

  assert.deepEqual(drifts(), ['expect=2 actual=5', 'expect=3 actual=2']);
});
