/** What is told of ReplicationControllers and DaemonSets. */
import type { Client } from '@keelson/client';
import { ControllerRevision, DaemonSet, type DaemonSetSpec } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { Pod, ReplicationController } from '@keelson/core/v1';
import { eventually } from '../eventually.ts';
import { masked } from '../masked.ts';
import { type Chapter, isReady, labels, template } from '../story.ts';

/** Everything, with the hashes of templates by the number of their revision, and without what is random in names. */
async function everything(client: Client, namespace: string, component: string): Promise<unknown> {
  const kinds = [ReplicationController, DaemonSet, ControllerRevision, Pod] as const;
  const lists = await Promise.all(kinds.map(async (kind) => (await client.list(kind, { namespace })).items));
  const events = (await client.list(Event, { namespace })).items
    .filter(({ reportingController }) => reportingController === component)
    .map(({ type, reason, note, regarding }) => ({ type, reason, note, regarding: regarding?.name }));
  const revisions = (lists[2] ?? []) as readonly ControllerRevision[];
  const words = new Map(
    revisions.map(({ metadata, revision }) => [metadata.name.slice('web-'.length), `REVISION${revision}`]),
  );
  const plain = JSON.stringify(masked([...lists, events], words)).replaceAll(/web-[b-z2-9]{5}"/g, 'web-POD"');
  const sorted = (JSON.parse(plain) as unknown[][]).map((list) =>
    list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
  return sorted;
}

const podsAre = async (client: Client, namespace: string, count: number, image = 'web:1') => {
  const { items } = await client.list(Pod, { namespace });
  const isCurrent = (pod: Pod) => isReady(pod) && pod.spec.containers[0]?.image === image;
  return items.length === count && items.every(isCurrent);
};

const newController = (client: Client, namespace: string) =>
  client.create(ReplicationController, {
    metadata: { namespace, name: 'web' },
    spec: { replicas: 2, selector: labels, template: template('web:1') },
  });

const controlled = (client: Client, namespace: string, replicas: number) =>
  eventually(`${replicas} replicas`, async () => {
    const { status, metadata } = await client.get(ReplicationController, `${namespace}/web`);
    return (
      status.observedGeneration === metadata.generation &&
      status.replicas === replicas &&
      (status.availableReplicas ?? 0) === replicas &&
      (await podsAre(client, namespace, replicas))
    );
  });

const newDaemon = (client: Client, namespace: string, spec: Partial<DaemonSetSpec> = {}) => {
  const { metadata, spec: pod } = template('web:1');
  const nodeSelector = { 'kubernetes.io/hostname': 'simulated-node' }; // there may be others
  return client.create(DaemonSet, {
    metadata: { namespace, name: 'web', annotations: { note: 'hello' } },
    spec: { selector: { matchLabels: labels }, template: { metadata, spec: { ...pod, nodeSelector } }, ...spec },
  });
};

const daemonSettled = (client: Client, namespace: string, image = 'web:1', updated = 1) =>
  eventually(`one pod of ${image}`, async () => {
    const { status, metadata } = await client.get(DaemonSet, `${namespace}/web`);
    return (
      status.observedGeneration === metadata.generation &&
      status.numberAvailable === 1 &&
      (status.updatedNumberScheduled ?? 0) === updated &&
      (await podsAre(client, namespace, 1, image))
    );
  });

const setImage = (client: Client, namespace: string, image: string) =>
  client.patch(
    DaemonSet,
    `${namespace}/web`,
    { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } },
    { type: 'strategic' },
  );

const daemonTeller = 'daemonset-controller';

export const otherWorkloads: Readonly<Record<string, Chapter>> = {
  'a replication controller, scaled': async (client, namespace) => {
    await newController(client, namespace);
    const told: unknown[] = [];
    for (const replicas of [2, 3, 1]) {
      await client.patch(ReplicationController, `${namespace}/web`, { spec: { replicas } }, { subresource: 'scale' });
      await controlled(client, namespace, replicas);
      told.push(await everything(client, namespace, 'replication-controller'));
    }
    await client.delete(ReplicationController, `${namespace}/web`, { propagationPolicy: 'Background' });
    await eventually('the end', async () => (await client.list(Pod, { namespace })).items.length === 0);
    return told;
  },
  'a daemon set, and its update': async (client, namespace) => {
    await newDaemon(client, namespace);
    await daemonSettled(client, namespace);
    const first = await everything(client, namespace, daemonTeller);
    await setImage(client, namespace, 'web:2');
    await daemonSettled(client, namespace, 'web:2');
    const second = await everything(client, namespace, daemonTeller);
    await setImage(client, namespace, 'web:1');
    await daemonSettled(client, namespace, 'web:1');
    return [first, second, await everything(client, namespace, daemonTeller)];
  },
  'a daemon set that surges': async (client, namespace) => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await newDaemon(client, namespace, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    await daemonSettled(client, namespace);
    await setImage(client, namespace, 'web:2');
    await daemonSettled(client, namespace, 'web:2');
    return everything(client, namespace, daemonTeller);
  },
  'a daemon set that updates on deletion, and leaves its node': async (client, namespace) => {
    await newDaemon(client, namespace, { updateStrategy: { type: 'OnDelete' } });
    await daemonSettled(client, namespace);
    await setImage(client, namespace, 'web:2');
    await daemonSettled(client, namespace, 'web:1', 0);
    const [pod] = (await client.list(Pod, { namespace })).items;
    await client.delete(Pod, `${namespace}/${pod?.metadata.name}`);
    await daemonSettled(client, namespace, 'web:2');
    const replaced = await everything(client, namespace, daemonTeller);
    const elsewhere = { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'nowhere' } } } } };
    await client.patch(DaemonSet, `${namespace}/web`, elsewhere);
    await eventually('the node to be left', async () => {
      const { status, metadata } = await client.get(DaemonSet, `${namespace}/web`);
      const isGone = (await client.list(Pod, { namespace })).items.length === 0;
      return isGone && status.numberMisscheduled === 0 && status.observedGeneration === metadata.generation;
    });
    return [replaced, await everything(client, namespace, daemonTeller)];
  },
};
