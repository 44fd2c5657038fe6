/** What is told of StatefulSets, their claims and the volumes that these are bound to. */
import assert from 'node:assert/strict';
import type { Client } from '@keelson/client';
import { ControllerRevision, StatefulSet, type StatefulSetSpec } from '@keelson/core/apps/v1';
import { PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import { eventually } from '../eventually.ts';
import { type Chapter, isReady, labels, readAll, readEvents, template } from '../story.ts';

const storage = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: storage }];
const tellers = ['statefulset-controller'];

const newSet = (client: Client, namespace: string, spec: Partial<StatefulSetSpec> = {}) =>
  client.create(StatefulSet, {
    metadata: { namespace, name: 'web', annotations: { note: 'a < b' } },
    spec: {
      replicas: 2,
      serviceName: 'web',
      selector: { matchLabels: labels },
      template: template('web:1'),
      ...spec,
    },
  });

const change = (client: Client, namespace: string, spec: object) =>
  client.patch(StatefulSet, `${namespace}/web`, { spec });

/** As many pods as there should be, all ready and none going, and the status says so. */
const settled = (client: Client, namespace: string, updated?: number) =>
  eventually('the set to settle', async () => {
    const { metadata, spec, status } = await client.get(StatefulSet, `${namespace}/web`);
    const { items } = await client.list(Pod, { namespace });
    const replicas = spec.replicas ?? 0;
    return (
      status.observedGeneration === metadata.generation &&
      items.length === replicas &&
      items.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined) &&
      status.replicas === replicas &&
      (status.updatedReplicas ?? 0) === (updated ?? replicas) &&
      (status.availableReplicas ?? 0) === replicas
    );
  });

async function replaced(client: Client, pod: `${string}/${string}`): Promise<void> {
  const { uid } = (await client.get(Pod, pod)).metadata;
  await client.delete(Pod, pod);
  await eventually('another pod', async () => (await client.find(Pod, pod))?.metadata.uid !== uid);
}

const claimCount = (client: Client, namespace: string, count: number) =>
  eventually(`${count} claims`, async () => {
    const { items } = await client.list(PersistentVolumeClaim, { namespace });
    return items.length === count && items.every(({ status }) => status.phase === 'Bound');
  });

const everything = async (client: Client, namespace: string, counts = (_reason: string) => true) => [
  await readAll(client, namespace, [StatefulSet, Pod, ControllerRevision]),
  await readEvents(client, namespace, tellers, counts),
];

export const statefulSets: Readonly<Record<string, Chapter>> = {
  'a stateful set with claims': async (client, namespace) => {
    await newSet(client, namespace, { volumeClaimTemplates, ordinals: { start: 5 } });
    await settled(client, namespace);
    await claimCount(client, namespace, 2);
    return [
      await everything(client, namespace),
      await readAll(client, namespace, [PersistentVolumeClaim]),
      await readEvents(client, namespace, ['persistentvolume-controller']),
    ];
  },
  'a stateful update in two parts, and the way back': async (client, namespace) => {
    await newSet(client, namespace, { replicas: 3 });
    await settled(client, namespace);
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await change(client, namespace, { updateStrategy, template: template('web:2') });
    await settled(client, namespace, 1);
    const halfway = await everything(client, namespace);
    await replaced(client, `${namespace}/web-0`);
    await settled(client, namespace, 1);
    await change(client, namespace, { updateStrategy: { rollingUpdate: { partition: 0 } } });
    await settled(client, namespace);
    const done = await everything(client, namespace);
    await change(client, namespace, { template: template('web:1') });
    await eventually('the third revision', async () => {
      const { items } = await client.list(ControllerRevision, { namespace });
      return items.some(({ revision }) => revision === 3);
    });
    await settled(client, namespace);
    return [halfway, done, await everything(client, namespace)];
  },
  'stateful pods at once, and claims that go when they do': async (client, namespace) => {
    await newSet(client, namespace, {
      replicas: 3,
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      volumeClaimTemplates,
    });
    await settled(client, namespace);
    await claimCount(client, namespace, 3);
    const before = await readAll(client, namespace, [PersistentVolumeClaim]);
    await change(client, namespace, { replicas: 1 });
    await settled(client, namespace);
    await claimCount(client, namespace, 1);
    // Theirs may meet the binder's write to a new claim, says so, and does not say that the pod was made.
    const after = await everything(client, namespace, (reason) => reason === 'SuccessfulDelete');
    await client.delete(StatefulSet, `${namespace}/web`);
    await eventually('the end of all', async () => {
      const claims = await client.list(PersistentVolumeClaim, { namespace });
      return claims.items.length === 0 && (await client.list(Pod, { namespace })).items.length === 0;
    });
    return [before, after];
  },
  'a retention policy that changes': async (client, namespace) => {
    await newSet(client, namespace, { replicas: 1, volumeClaimTemplates });
    await settled(client, namespace);
    await claimCount(client, namespace, 1);
    await change(client, namespace, {
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' },
    });
    await eventually('an owner', async () => {
      const [claim] = (await client.list(PersistentVolumeClaim, { namespace })).items;
      return claim?.metadata.ownerReferences !== undefined;
    });
    await settled(client, namespace);
    const isDone = (reason: string) => reason.startsWith('Successful');
    await eventually('the events of claim, pod and update', async () => {
      const told = (await readEvents(client, namespace, tellers, isDone)) as unknown[];
      return told.length === 3;
    });
    // Theirs may meet the binder's write to the claim, says so, and tries again.
    return [await everything(client, namespace, isDone), await readAll(client, namespace, [PersistentVolumeClaim])];
  },
  'a stateful set that updates on deletion': async (client, namespace) => {
    await newSet(client, namespace, { updateStrategy: { type: 'OnDelete' }, minReadySeconds: 1 });
    await settled(client, namespace);
    await change(client, namespace, { template: template('web:2') });
    await settled(client, namespace, 0);
    await replaced(client, `${namespace}/web-0`);
    await settled(client, namespace, 1);
    await change(client, namespace, { replicas: 0 });
    await settled(client, namespace, 0);
    return everything(client, namespace);
  },
  'a claim that no volume fits': async (client, namespace) => {
    await client.create(PersistentVolumeClaim, {
      metadata: { namespace, name: 'alone' },
      spec: { ...storage, storageClassName: '' },
    });
    const told = await eventually('the event', async () => {
      const events = (await readEvents(client, namespace, ['persistentvolume-controller'])) as unknown[];
      return events.length > 0 && events;
    });
    assert.equal(told.length, 1);
    return [told, await readAll(client, namespace, [PersistentVolumeClaim])];
  },
};
