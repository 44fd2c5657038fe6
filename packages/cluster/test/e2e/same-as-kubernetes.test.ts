/**
 * The same story told to Kubernetes, to our controllers on a real API server, to kube-controller-manager on ours, and to
 * the embedded cluster: what can be read afterwards must be the same. Pods run on the simulated node in all of them, and
 * on simulated volumes.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, createClient, evict } from '@keelson/client';
import { keyOf } from '@keelson/core';
import { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { ConfigMap, Namespace, Pod, ResourceQuota, ServiceAccount } from '@keelson/core/v1';
import { availability, startControllerManager, startKubernetes } from '@keelson/tools-kubernetes';
import { createCluster, createControllers } from '../../src/index.ts';
import { nodes, onlyNode, type Server } from '../behaviour.ts';
import { record, recording, tell } from '../chapters.ts';
import { cronJobChapters } from '../cron-job-chapters.ts';
import { jobChapters } from '../job-chapters.ts';
import { autoscalers } from './chapters/autoscalers.ts';
import { otherWorkloads } from './chapters/other-workloads.ts';
import { quotas } from './chapters/quotas.ts';
import { services } from './chapters/services.ts';
import { statefulSets } from './chapters/stateful-sets.ts';
import { eventually } from './eventually.ts';
import { masked, wordsOf } from './masked.ts';
import { resolvingServices, startMetricsServer } from './metrics-server.ts';
import { connectTo, type MeasuredServer, startRealServer } from './real-server.ts';
import { type Chapter, isReady, labels, readAll, readEvents, template } from './story.ts';

async function startTheirs(): Promise<MeasuredServer> {
  const kube = await startKubernetes({ apiServerFlags: resolvingServices });
  const transport = await connectTo(kube);
  const metricsServer = await startMetricsServer(kube);
  const stop = new AbortController();
  const controllers = createControllers({ transport, only: [...onlyNode, 'volume-provisioner'], node: nodes.usual });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  return {
    client: createClient({ transport, fieldManager: 'test' }),
    eventually,
    metrics: metricsServer.metrics,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
      await metricsServer[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}

async function startEmbedded(): Promise<MeasuredServer> {
  const cluster = createCluster({ node: nodes.usual });
  await cluster.ready;
  return {
    client: createClient({ transport: cluster.transport, fieldManager: 'test' }),
    eventually,
    metrics: cluster.metrics,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** Kubernetes' own controllers on our API server, but for the one to which nodes must say again and again that they live. */
async function startTheirsOnOurs(): Promise<MeasuredServer> {
  const cluster = createCluster({ only: [...onlyNode, 'scheduler', 'volume-provisioner'], node: nodes.usual });
  await cluster.ready;
  const door = await cluster.listen();
  const controllers = await startControllerManager(door.kubeconfig, ['*', '-node-lifecycle-controller']);
  return {
    client: createClient({ transport: cluster.transport, fieldManager: 'test' }),
    eventually,
    metrics: cluster.metrics,
    async [Symbol.asyncDispose]() {
      await controllers[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

const newDeployment = (client: Client, namespace: string, spec: object = {}) =>
  client.create(Deployment, {
    metadata: { namespace, name: 'web', annotations: { note: 'hello' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: template('web:1'),
      ...spec,
    },
  });

/**
 * Under Recreate the condition names the new ReplicaSet only because that was written when it was made. Where this write
 * meets a conflict, which the controller's own last write can be, Kubernetes never says it: all later counts look as if
 * it had been said.
 */
class LostCondition extends Error {}

const rolledOut = (client: Client, namespace: string) =>
  eventually('the rollout', async () => {
    const { metadata, spec, status } = await client.get(Deployment, `${namespace}/web`);
    const { items } = await client.list(Pod, { namespace });
    const replicas = spec.replicas ?? 0;
    const revision = 'deployment.kubernetes.io/revision';
    const sets = (await client.list(ReplicaSet, { namespace })).items;
    const newest = sets.find((each) => each.metadata.annotations?.[revision] === metadata.annotations?.[revision]);
    const isCounted =
      status.observedGeneration === metadata.generation &&
      (status.updatedReplicas ?? 0) === replicas &&
      (status.replicas ?? 0) === replicas &&
      (status.availableReplicas ?? 0) === replicas &&
      (status.terminatingReplicas ?? 0) === 0 &&
      items.length === replicas;
    if (!isCounted || replicas === 0) return isCounted;
    const said = status.conditions?.find(({ reason }) => reason === 'NewReplicaSetAvailable');
    // What is counted and what is said is written at once, so it would not come later.
    if (said && !said.message?.includes(`"${newest?.metadata.name}"`)) throw new LostCondition(said.message);
    return said !== undefined;
  });

const observed = (client: Client, namespace: string) =>
  eventually('the budgets to be observed', async () => {
    const { items } = await client.list(PodDisruptionBudget, { namespace });
    return items.every(({ metadata, status }) => status.observedGeneration === metadata.generation);
  });

const workload = ['deployment-controller', 'replicaset-controller'];

const chapters: Readonly<Record<string, Chapter>> = {
  'a first rollout': async (client, namespace) => {
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    return readAll(client, namespace, [Deployment, ReplicaSet, Pod]);
  },
  'a second rollout, and what was said meanwhile': async (client, namespace) => {
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    await client.patch(Deployment, `${namespace}/web`, { spec: { template: template('web:2') } });
    await rolledOut(client, namespace);
    return [await readAll(client, namespace, [Deployment, ReplicaSet]), await readEvents(client, namespace, workload)];
  },
  'going back': async (client, namespace) => {
    await newDeployment(client, namespace);
    for (const image of ['web:2', 'web:1']) {
      await rolledOut(client, namespace);
      await client.patch(Deployment, `${namespace}/web`, { spec: { template: template(image) } });
    }
    await eventually('the third revision', async () => {
      const { metadata } = await client.get(Deployment, `${namespace}/web`);
      return metadata.annotations?.['deployment.kubernetes.io/revision'] === '3';
    });
    await rolledOut(client, namespace);
    return [await readAll(client, namespace, [Deployment, ReplicaSet]), await readEvents(client, namespace, workload)];
  },
  'scaling up, down and to nothing': async (client, namespace) => {
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    for (const replicas of [3, 1, 0]) {
      await client.patch(Deployment, `${namespace}/web`, { spec: { replicas } }, { subresource: 'scale' });
      await rolledOut(client, namespace);
    }
    return readAll(client, namespace, [Deployment, ReplicaSet]);
  },
  'a pause': async (client, namespace) => {
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    await client.patch(Deployment, `${namespace}/web`, { spec: { paused: true, template: template('web:2') } });
    const paused = await eventually('the pause to be noted', async () => {
      const { status, metadata } = await client.get(Deployment, `${namespace}/web`);
      const isNoted = status.conditions?.some(({ reason }) => reason === 'DeploymentPaused');
      return isNoted && status.observedGeneration === metadata.generation && readAll(client, namespace, [Deployment]);
    });
    await client.patch(Deployment, `${namespace}/web`, { spec: { paused: false } });
    await eventually('the second revision', async () => {
      const { metadata } = await client.get(Deployment, `${namespace}/web`);
      return metadata.annotations?.['deployment.kubernetes.io/revision'] === '2';
    });
    await rolledOut(client, namespace);
    return [paused, await readAll(client, namespace, [Deployment, ReplicaSet])];
  },
  Recreate: async (client, namespace) => {
    await newDeployment(client, namespace, { strategy: { type: 'Recreate' } });
    await rolledOut(client, namespace);
    await client.patch(Deployment, `${namespace}/web`, { spec: { template: template('web:2') } });
    await rolledOut(client, namespace);
    return [await readAll(client, namespace, [Deployment, ReplicaSet]), await readEvents(client, namespace, workload)];
  },
  'a quota that stands in the way': async (client, namespace) => {
    await client.create(ResourceQuota, { metadata: { namespace, name: 'few' }, spec: { hard: { pods: '1' } } });
    await eventually(
      'the quota to be counted',
      async () => (await client.get(ResourceQuota, `${namespace}/few`)).status.hard !== undefined,
    );
    await newDeployment(client, namespace, { progressDeadlineSeconds: 3 });
    await eventually('the deadline', async () =>
      (await client.get(Deployment, `${namespace}/web`)).status.conditions?.some(
        ({ reason }) => reason === 'ProgressDeadlineExceeded',
      ),
    );
    // The server names the pod that it refused, or says how much is used; only what our side adds is compared.
    const { status } = await client.get(Deployment, `${namespace}/web`);
    const words = wordsOf((await client.list(ReplicaSet, { namespace })).items);
    return masked(status, words);
  },
  'a pod that is ready for long enough': async (client, namespace) => {
    await newDeployment(client, namespace, { minReadySeconds: 2 });
    await rolledOut(client, namespace);
    return readAll(client, namespace, [Deployment, ReplicaSet]);
  },
  'budgets of every sort': async (client, namespace) => {
    await newDeployment(client, namespace, { replicas: 3 });
    await rolledOut(client, namespace);
    const alone = { namespace, name: 'alone', labels: { app: 'alone' } };
    await client.create(Pod, { metadata: alone, spec: template('web:1').spec });
    await eventually('the pod', async () => isReady(await client.get(Pod, `${namespace}/alone`)));
    const selector = { matchLabels: labels };
    const specs: Readonly<Record<string, PodDisruptionBudget['spec']>> = {
      number: { selector, minAvailable: 2 },
      share: { selector, minAvailable: '50%' },
      unavailable: { selector, maxUnavailable: '40%' },
      strict: { selector, maxUnavailable: 0 },
      generous: { selector, maxUnavailable: 9 },
      silent: { selector },
      nobody: { selector: { matchLabels: { app: 'nobody' } }, minAvailable: 1 },
      nothing: { maxUnavailable: 1 },
      unmanaged: {
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['alone', 'web'] }] },
        maxUnavailable: 1,
      },
    };
    for (const [name, spec] of Object.entries(specs)) {
      await client.create(PodDisruptionBudget, { metadata: { namespace, name }, spec });
    }
    await observed(client, namespace);
    await eventually('the events', async () => {
      const { items } = await client.list(Event, { namespace });
      const reasons = items.map(({ reason }) => reason);
      return reasons.filter((reason) => reason === 'NoPods').length === 2 && reasons.includes('UnmanagedPods');
    });
    return [
      await readAll(client, namespace, [PodDisruptionBudget]),
      await readEvents(client, namespace, ['controllermanager']),
    ];
  },
  'a budget that changes, and pods that come and go under it': async (client, namespace) => {
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    const key = `${namespace}/most`;
    const spec = { selector: { matchLabels: labels }, minAvailable: 1 };
    await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'most' }, spec });
    await observed(client, namespace);
    const states = [await readAll(client, namespace, [PodDisruptionBudget])];
    const healthy = (count: number) =>
      eventually(`${count} healthy pods`, async () => {
        const { status } = await client.get(PodDisruptionBudget, key);
        return status.currentHealthy === count && status.expectedPods === count && !status.disruptedPods;
      });
    const [pod] = (await client.list(Pod, { namespace })).items;
    await evict(client, keyOf(pod ?? assert.fail()));
    await rolledOut(client, namespace);
    await healthy(2);
    states.push(await readAll(client, namespace, [PodDisruptionBudget]));
    await client.patch(PodDisruptionBudget, key, { spec: { minAvailable: '100%' } });
    await observed(client, namespace);
    states.push(await readAll(client, namespace, [PodDisruptionBudget]));
    await client.patch(Deployment, `${namespace}/web`, { spec: { replicas: 1 } }, { subresource: 'scale' });
    await rolledOut(client, namespace);
    await healthy(1);
    return [...states, await readAll(client, namespace, [PodDisruptionBudget])];
  },
  'budgets that cannot be judged': async (client, namespace) => {
    const owner = await client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
    const known = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, controller: true };
    const owners = { known, unknown: { ...known, apiVersion: 'example.com/v1', kind: 'Mystery' } };
    for (const [name, reference] of Object.entries(owners)) {
      const metadata = { namespace, name, labels: { app: name }, ownerReferences: [reference] };
      await client.create(Pod, { metadata, spec: template('web:1').spec });
      // Who sees the budget before its pod says that there is none.
      await eventually('the pod', async () => isReady(await client.get(Pod, `${namespace}/${name}`)));
      const spec = { selector: { matchLabels: { app: name } }, maxUnavailable: 1 };
      await client.create(PodDisruptionBudget, { metadata: { namespace, name }, spec });
    }
    await eventually('the failures', async () => {
      const { items } = await client.list(PodDisruptionBudget, { namespace });
      return items.every(({ status }) => status.conditions?.[0]?.reason === 'SyncFailed');
    });
    await eventually('the events', async () => {
      const { items } = await client.list(Event, { namespace });
      return items.filter(({ reason }) => reason === 'CalculateExpectedPodCountFailed').length === 2;
    });
    return [
      await readAll(client, namespace, [PodDisruptionBudget]),
      await readEvents(client, namespace, ['controllermanager']),
    ];
  },
  'a namespace that waits for a finalizer': async (client, namespace) => {
    const finalizers = ['example.com/hold'];
    const held = await client.create(ConfigMap, { metadata: { namespace, name: 'held', finalizers } });
    await newDeployment(client, namespace);
    await rolledOut(client, namespace);
    await client.delete(Namespace, namespace);
    const going = await eventually('the finalizer to be reported', async () => {
      const found = await client.get(Namespace, namespace);
      const isSaid = found.status.conditions?.some(({ reason }) => reason === 'SomeFinalizersRemain');
      return isSaid && masked({ spec: found.spec, status: found.status }, new Map());
    });
    await client.patch(ConfigMap, keyOf(held), { metadata: { finalizers: null } });
    await eventually('the end', async () => (await client.find(Namespace, namespace)) === undefined);
    return going;
  },
  'an owner in another namespace': async (client, namespace) => {
    const elsewhere = (await client.create(Namespace, { metadata: { generateName: 'elsewhere-' } })).metadata.name;
    const owner = await client.create(ConfigMap, { metadata: { namespace: elsewhere, name: 'owner' } });
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    await client.create(ConfigMap, { metadata: { namespace, name: 'child', ownerReferences } });
    await eventually('the child to go', async () => (await client.find(ConfigMap, `${namespace}/child`)) === undefined);
    return eventually('the event', async () => {
      const told = (await readEvents(client, namespace, ['garbage-collector-controller'])) as unknown[];
      return told.length > 0 && told;
    });
  },
};

const found = await availability();

describe('our controllers and Kubernetes’ own', { skip: found.available ? false : found.reason }, () => {
  let theirs: MeasuredServer;
  let ours: MeasuredServer;
  let embedded: MeasuredServer;
  let theirsOnOurs: MeasuredServer;

  before(async () => {
    embedded = await startEmbedded();
    theirsOnOurs = await startTheirsOnOurs();
    theirs = await startTheirs();
    ours = await startRealServer();
  });
  after(async () => {
    await ours?.[Symbol.asyncDispose]();
    await theirs?.[Symbol.asyncDispose]();
    await theirsOnOurs?.[Symbol.asyncDispose]();
    await embedded?.[Symbol.asyncDispose]();
  });

  const told = async ({ client, metrics }: MeasuredServer, name: string, chapter: Chapter, trials = 5) => {
    // The same name on both sides, since it is part of what is read.
    const namespace = name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
    for (;;) {
      await client.create(Namespace, { metadata: { name: namespace } });
      await eventually('the service account', () => client.find(ServiceAccount, `${namespace}/default`));
      try {
        return await chapter(client, namespace, metrics);
      } catch (error) {
        trials -= 1;
        if (!(error instanceof LostCondition) || trials === 0) throw error;
      }
      await client.delete(Namespace, namespace);
      await eventually('the end', async () => (await client.find(Namespace, namespace)) === undefined);
    }
  };

  const all = { ...chapters, ...statefulSets, ...services, ...otherWorkloads, ...quotas };
  for (const [name, chapter] of Object.entries(all)) {
    test(`${name}: the same can be read afterwards`, async () => {
      const servers = [theirs, ours, embedded, theirsOnOurs];
      const [expected, ...others] = await Promise.all(servers.map((server) => told(server, name, chapter)));
      for (const actual of others) assert.deepEqual(actual, expected);
    });
  }

  test('autoscalers, with metrics and without: the same can be read afterwards', async (t) => {
    // All at once: they wait for their turn, which comes every fifteen seconds.
    const telling = Object.entries(autoscalers).map(([name, chapter]) => {
      const servers = [theirs, ours, embedded, theirsOnOurs];
      return [name, Promise.all(servers.map((server) => told(server, name, chapter)))] as const;
    });
    await Promise.allSettled(telling.map(([, everywhere]) => everywhere));
    for (const [name, everywhere] of telling) {
      await t.test(name, async () => {
        const [expected, ...others] = await everywhere;
        for (const actual of others) assert.deepEqual(actual, expected);
      });
    }
  });

  /** All at once: most of the time they wait. */
  const tellAll = async (server: Server) => {
    const chapters = Object.entries({ ...jobChapters, ...cronJobChapters });
    const told = await Promise.all(chapters.map(([name, chapter]) => tell(server, name, chapter)));
    return Object.fromEntries(chapters.map(([name], index) => [name, told[index]]));
  };

  test('Jobs and CronJobs: Kubernetes says what was recorded, and our controllers say the same', async () => {
    const [expected, actual] = await Promise.all([theirs, ours].map(tellAll));
    if (process.env.KEELSON_RECORD) record('jobs', expected ?? {});
    assert.deepEqual(expected, recording('jobs'));
    assert.deepEqual(actual, expected);
  });

  test('Jobs and CronJobs: Kubernetes’ own controllers say the same on our API server', async () => {
    assert.deepEqual(await tellAll(theirsOnOurs), recording('jobs'));
  });
});
