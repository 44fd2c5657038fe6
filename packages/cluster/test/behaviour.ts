/** What the controllers promise, as cases that any API server must pass: a real one (e2e) and the embedded one. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, createInformer, evict } from '@keelson/client';
import {
  controllerOf,
  controllerReference,
  isControlledBy,
  isNotFound,
  isTooManyRequests,
  type Kind,
  keyOf,
  type LabelSelection,
  type NamespacedName,
  type ObjectOf,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { DaemonSet, Deployment, type DeploymentSpec, ReplicaSet, StatefulSet } from '@keelson/core/apps/v1';
import { EndpointSlice } from '@keelson/core/discovery/v1';
import { Event } from '@keelson/core/events/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import {
  ConfigMap,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
  ServiceAccount,
} from '@keelson/core/v1';
import type { ControllerName, ControllersOptions } from '../src/index.ts';

/** A server on which all controllers run, and a second node, cordoned, whose pods do not stop by themselves. */
export interface Server extends AsyncDisposable {
  readonly client: Client;
  /** What `check` returns as soon as it returns anything; fails after a while. */
  eventually<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T>;
  /** Whether no controller gets ahead of another by chance. @default false */
  readonly isDeterministic?: boolean;
}

/** How the node under test behaves; `stubborn` is the name of the second one. */
export const nodes = {
  usual: { readyAfterMs: 100, stopAfterMs: 100 },
  stubborn: { name: 'stubborn', readyAfterMs: 0, stopAfterMs: 3_600_000 },
} as const satisfies Readonly<Record<string, ControllersOptions['node']>>;

export const onlyNode: readonly ControllerName[] = ['node'];

export interface BehaviourOptions {
  readonly skip?: string | false | undefined;
  readonly start: () => Promise<Server>;
}

const Widget: Kind = {
  group: 'cluster.example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  scope: 'Namespaced',
};

const widgetDefinition = {
  metadata: { name: 'widgets.cluster.example.com' },
  spec: {
    group: Widget.group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as const;

const Fleet: Kind = {
  group: 'cluster.example.com',
  version: 'v1',
  kind: 'Fleet',
  resource: 'fleets',
  scope: 'Namespaced',
};

/** A kind that controls pods, as far as its scale tells. */
const fleetDefinition = {
  metadata: { name: 'fleets.cluster.example.com' },
  spec: {
    group: Fleet.group,
    scope: 'Namespaced',
    names: { plural: 'fleets', singular: 'fleet', kind: 'Fleet', listKind: 'FleetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
    ],
  },
} as const;

const labels = { app: 'web' };
const container = { name: 'web', image: 'web:1' };

export function describeControllers(name: string, { skip = false, start }: BehaviourOptions): void {
  describe(name, { skip }, () => {
    let server: Server;
    let client: Client;

    before(async () => {
      server = await start();
      client = server.client;
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
    });

    const newNamespace = async () => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: 'cluster-' } });
      await seen(ServiceAccount, `${metadata.name}/default`, () => true); // pods are refused before
      return metadata.name;
    };
    const seen = <K extends Kind>(kind: K, key: NamespacedName, holds: (object: ObjectOf<K>) => boolean) =>
      server.eventually(`${kind.kind} ${key}`, async () => {
        const object = await client.find(kind, key);
        return object && holds(object) ? object : undefined;
      });
    const gone = (kind: Kind, key: NamespacedName) =>
      server.eventually(`${kind.kind} ${key} to be gone`, async () => (await client.find(kind, key)) === undefined);
    const list = async <K extends Kind>(kind: K, namespace: string, selection?: LabelSelection) =>
      (await client.list(kind, { namespace, labels: selection })).items;
    const activePods = async (namespace: string) =>
      (await list(Pod, namespace)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const newDeployment = (namespace: string, spec: Partial<DeploymentSpec> = {}) =>
      client.create(Deployment, {
        metadata: { namespace, name: 'web' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 5 } },
          ...spec,
        },
      });
    const isRolledOut = ({ metadata, spec, status }: Deployment) =>
      status.observedGeneration === metadata.generation &&
      status.updatedReplicas === spec.replicas &&
      status.replicas === spec.replicas &&
      status.availableReplicas === spec.replicas;
    const rolledOut = (namespace: string) => seen(Deployment, `${namespace}/web`, isRolledOut);
    const setImage = (namespace: string, image: string) =>
      client.patch(
        Deployment,
        `${namespace}/web`,
        { spec: { template: { spec: { containers: [{ ...container, image }] } } } },
        { type: 'strategic' },
      );
    const reasonsOf = (deployment: Deployment) =>
      Object.fromEntries(
        (deployment.status.conditions ?? []).map(({ type, status, reason }) => [type, [status, reason]]),
      );

    test('the simulated node is there and ready, and its pods run', async () => {
      const node = await seen(Node, 'simulated-node', ({ status }) =>
        (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      assert.deepEqual(node.spec.taints ?? [], []);
      const namespace = await newNamespace();
      await client.create(Pod, { metadata: { namespace, name: 'alone' }, spec: { containers: [container] } });
      const pod = await seen(Pod, `${namespace}/alone`, isReady);
      assert.equal(pod.spec.nodeName, 'simulated-node');
      assert.equal(pod.status.phase, 'Running');
      assert.match(pod.status.podIP ?? '', /^10\.244\./);
      assert.deepEqual(
        pod.status.containerStatuses?.map(({ ready, restartCount }) => [ready, restartCount]),
        [[true, 0]],
      );
      await client.delete(Pod, keyOf(pod));
      await gone(Pod, keyOf(pod));
    });

    test('a Deployment becomes a ReplicaSet and pods that know their owners', async () => {
      const namespace = await newNamespace();
      const { metadata } = await newDeployment(namespace);
      const deployment = await rolledOut(namespace);
      assert.deepEqual(reasonsOf(deployment), {
        Available: ['True', 'MinimumReplicasAvailable'],
        Progressing: ['True', 'NewReplicaSetAvailable'],
      });
      assert.equal(deployment.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
      const [replicaSet, ...others] = await list(ReplicaSet, namespace);
      assert.ok(replicaSet && others.length === 0);
      const hash = replicaSet.metadata.labels?.['pod-template-hash'];
      assert.equal(replicaSet.metadata.name, `web-${hash}`);
      assert.ok(isControlledBy(replicaSet, deployment));
      const pods = await list(Pod, namespace);
      assert.equal(pods.length, 2);
      for (const pod of pods) {
        assert.ok(isControlledBy(pod, replicaSet));
        assert.ok(pod.metadata.name.startsWith(`web-${hash}-`));
        assert.equal(pod.metadata.labels?.['pod-template-hash'], hash);
      }
      const events = await server.eventually('events', async () => {
        const items = await list(Event, namespace);
        const told = new Set(items.map(({ reason }) => reason));
        return (
          ['ScalingReplicaSet', 'SuccessfulCreate', 'Scheduled', 'Started'].every((each) => told.has(each)) && items
        );
      });
      const scaling = events.find(({ regarding }) => regarding?.uid === metadata.uid);
      assert.equal(scaling?.note, `Scaled up replica set web-${hash} from 0 to 2`);
      assert.equal(scaling?.reportingController, 'deployment-controller');
    });

    test('a rollout never has more pods than surge allows, nor fewer ready ones than it may', async () => {
      const namespace = await newNamespace();
      const replicas = 4;
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } as const;
      await newDeployment(namespace, { replicas, strategy });
      await rolledOut(namespace);
      const stop = new AbortController();
      const sets = createInformer(client, ReplicaSet, { namespace });
      const informer = createInformer(client, Pod, { namespace });
      const stopped = [sets.start(stop.signal), informer.start(stop.signal)];
      await Promise.all([sets.synced, informer.synced]);
      const excesses: string[] = [];
      sets.subscribe(() => {
        const asked = sets.store.list().reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
        if (asked > replicas + 1 || asked < replicas - 1) excesses.push(`${asked} pods asked for`);
      });
      let events = 0;
      informer.subscribe(() => {
        events += 1;
        const active = informer.store.list().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        const ready = active.filter(isReady).length;
        // One ReplicaSet may get its new pod before the other has taken away the one that is asked for no longer.
        if (server.isDeterministic && (active.length > replicas + 1 || ready < replicas - 1))
          excesses.push(`${active.length} pods, ${ready} ready`);
      });
      await setImage(namespace, 'web:2');
      await rolledOut(namespace);
      await server.eventually('the watch to tell of the end', async () => {
        const images = informer.store.list().map(({ spec }) => spec.containers[0]?.image);
        return images.length === replicas && images.every((image) => image === 'web:2');
      });
      stop.abort();
      await Promise.all(stopped);
      assert.ok(events > replicas * 4, `${events} events were seen`);
      assert.deepEqual(excesses, []);
      assert.ok((await list(Pod, namespace)).every(({ spec }) => spec.containers[0]?.image === 'web:2'));
      const revisions = (await list(ReplicaSet, namespace)).map(({ metadata, spec }) => [
        metadata.annotations?.['deployment.kubernetes.io/revision'],
        spec.replicas,
      ]);
      assert.deepEqual(revisions.sort(), [
        ['1', 0],
        ['2', 4],
      ]);
    });

    test('going back to an old template gives its ReplicaSet a new revision', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      await setImage(namespace, 'web:2');
      await rolledOut(namespace);
      await setImage(namespace, 'web:1');
      const deployment = await rolledOut(namespace);
      assert.equal(deployment.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
      const sets = await list(ReplicaSet, namespace);
      const notes = sets.map(({ metadata: { annotations = {} } }) => [
        annotations['deployment.kubernetes.io/revision'],
        annotations['deployment.kubernetes.io/revision-history'],
      ]);
      assert.deepEqual(notes.sort(), [
        ['2', undefined],
        ['3', '1'],
      ]);
    });

    test('old ReplicaSets beyond the history limit go', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace, { revisionHistoryLimit: 1 });
      for (const image of ['web:1', 'web:2', 'web:3']) {
        await setImage(namespace, image);
        await rolledOut(namespace);
      }
      await server.eventually('two ReplicaSets', async () => (await list(ReplicaSet, namespace)).length === 2);
    });

    test('Recreate starts nothing new before the last old pod has ended', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace, { strategy: { type: 'Recreate' } });
      await rolledOut(namespace);
      const mixtures: string[] = [];
      const stop = new AbortController();
      const informer = createInformer(client, Pod, { namespace });
      const stopped = informer.start(stop.signal);
      await informer.synced;
      informer.subscribe(() => {
        const isRunning = ({ status }: Pod) => status.phase !== 'Succeeded' && status.phase !== 'Failed';
        const images = new Set(
          informer.store
            .list()
            .filter(isRunning)
            .map(({ spec }) => spec.containers[0]?.image),
        );
        if (images.size > 1) mixtures.push([...images].join());
      });
      await setImage(namespace, 'web:2');
      await rolledOut(namespace);
      stop.abort();
      await stopped;
      assert.deepEqual(mixtures, []);
    });

    test('the scale subresource scales, up and down', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      for (const replicas of [4, 1, 0]) {
        await client.patch(Deployment, `${namespace}/web`, { spec: { replicas } }, { subresource: 'scale' });
        await server.eventually(`${replicas} pods`, async () => (await activePods(namespace)).length === replicas);
      }
    });

    test('a paused Deployment rolls nothing out and still scales', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      const key = `${namespace}/web`;
      await client.patch(Deployment, key, { spec: { paused: true } });
      await seen(Deployment, key, (each) => reasonsOf(each).Progressing?.[1] === 'DeploymentPaused');
      await setImage(namespace, 'web:2');
      await client.patch(Deployment, key, { spec: { replicas: 3 } });
      await server.eventually('three pods', async () => (await activePods(namespace)).filter(isReady).length === 3);
      assert.ok((await activePods(namespace)).every(({ spec }) => spec.containers[0]?.image === 'web:1'));
      await client.patch(Deployment, key, { spec: { paused: false } });
      await rolledOut(namespace);
      assert.ok((await activePods(namespace)).every(({ spec }) => spec.containers[0]?.image === 'web:2'));
    });

    test('a rollout without progress is reported at its deadline', async () => {
      const namespace = await newNamespace();
      const readinessGates = [{ conditionType: 'example.com/never' }];
      const template = { metadata: { labels }, spec: { containers: [container], readinessGates } };
      await newDeployment(namespace, { progressDeadlineSeconds: 2, template });
      const deployment = await seen(
        Deployment,
        `${namespace}/web`,
        (each) => reasonsOf(each).Progressing?.[0] === 'False',
      );
      assert.deepEqual(reasonsOf(deployment), {
        Available: ['False', 'MinimumReplicasUnavailable'],
        Progressing: ['False', 'ProgressDeadlineExceeded'],
      });
      assert.match(
        deployment.status.conditions?.find(({ type }) => type === 'Progressing')?.message ?? '',
        /^ReplicaSet "web-\w+" has timed out progressing\.$/,
      );
    });

    test('a ReplicaSet adopts what matches, releases what no longer does, and replaces it', async () => {
      const namespace = await newNamespace();
      const orphan = await client.create(Pod, {
        metadata: { namespace, name: 'orphan', labels },
        spec: { containers: [container] },
      });
      const replicaSet = await client.create(ReplicaSet, {
        metadata: { namespace, name: 'web' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      });
      await seen(Pod, keyOf(orphan), (pod) => isControlledBy(pod, replicaSet));
      await server.eventually('two pods', async () => (await activePods(namespace)).length === 2);
      await client.patch(Pod, keyOf(orphan), { metadata: { labels: { app: 'mine' } } });
      await seen(Pod, keyOf(orphan), (pod) => controllerOf(pod) === undefined);
      await server.eventually('a replacement', async () => (await list(Pod, namespace, labels)).length === 2);
      await seen(ReplicaSet, keyOf(replicaSet), ({ status }) => status.replicas === 2 && status.readyReplicas === 2);
    });

    test('deleting a Deployment in the background takes its ReplicaSets and pods with it', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      await client.delete(Deployment, `${namespace}/web`);
      await server.eventually('nothing to be left', async () => {
        const left = [...(await list(ReplicaSet, namespace)), ...(await list(Pod, namespace))];
        return left.length === 0;
      });
    });

    test('deleting a Deployment in the foreground keeps it until all else is gone', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      const result = await client.delete(Deployment, `${namespace}/web`, { propagationPolicy: 'Foreground' });
      assert.equal(result.type, 'terminating');
      await server.eventually('the Deployment to be gone', async () => {
        const sets = await list(ReplicaSet, namespace);
        const deployment = await client.find(Deployment, `${namespace}/web`);
        // Asked in this order: a ReplicaSet that was there before must not have outlived the Deployment.
        assert.ok(deployment || sets.length === 0 || (await list(ReplicaSet, namespace)).length === 0);
        return deployment === undefined;
      });
      assert.deepEqual(await list(Pod, namespace), []);
    });

    test('deleting a Deployment and orphaning leaves all else, which the next one adopts', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      const before = (await list(Pod, namespace)).map(keyOf).sort();
      await client.delete(Deployment, `${namespace}/web`, { propagationPolicy: 'Orphan' });
      await gone(Deployment, `${namespace}/web`);
      const [orphan] = await list(ReplicaSet, namespace);
      assert.ok(orphan && controllerOf(orphan) === undefined);
      const deployment = await newDeployment(namespace);
      await seen(ReplicaSet, keyOf(orphan), (each) => isControlledBy(each, deployment));
      const adopted = await rolledOut(namespace);
      assert.equal(adopted.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
      assert.deepEqual((await list(Pod, namespace)).map(keyOf).sort(), before);
    });

    const owned = async (
      namespace: string,
      name: string,
      ...owners: readonly {
        readonly kind: string;
        readonly apiVersion: string;
        readonly name: string;
        readonly uid: string;
        readonly blockOwnerDeletion?: boolean;
      }[]
    ) => client.create(ConfigMap, { metadata: { namespace, name, ownerReferences: owners } });
    const reference = ({ apiVersion, kind, metadata: { name, uid } }: ObjectOf<Kind>) => ({
      apiVersion,
      kind,
      name,
      uid,
    });

    test('what has another owner stays, without the one that is gone', async () => {
      const namespace = await newNamespace();
      const [first, second] = [await owned(namespace, 'first'), await owned(namespace, 'second')];
      const child = await owned(namespace, 'child', reference(first), reference(second));
      await client.delete(ConfigMap, keyOf(first));
      const kept = await seen(ConfigMap, keyOf(child), ({ metadata }) => metadata.ownerReferences?.length === 1);
      assert.equal(kept.metadata.ownerReferences?.[0]?.uid, second.metadata.uid);
      await client.delete(ConfigMap, keyOf(second));
      await gone(ConfigMap, keyOf(child));
    });

    test('an owner that never existed, or had the name before, is no owner', async () => {
      const namespace = await newNamespace();
      const owner = await owned(namespace, 'owner');
      const child = await owned(namespace, 'child', {
        ...reference(owner),
        uid: 'd9a7b2e0-0000-4000-8000-000000000000',
      });
      await gone(ConfigMap, keyOf(child));
      assert.ok(await client.find(ConfigMap, keyOf(owner)));
    });

    test('an owner in another namespace is no owner, and an event says so', async () => {
      const [namespace, elsewhere] = [await newNamespace(), await newNamespace()];
      const owner = await owned(elsewhere, 'owner');
      const child = await owned(namespace, 'child', reference(owner));
      await gone(ConfigMap, keyOf(child));
      assert.ok(await client.find(ConfigMap, keyOf(owner)));
      const event = await server.eventually('the event', async () =>
        (await list(Event, namespace)).find(({ reason }) => reason === 'OwnerRefInvalidNamespace'),
      );
      assert.match(
        event.note ?? '',
        /^ownerRef \[v1\/ConfigMap, namespace: .*, name: owner, uid: .*\] does not exist in namespace "/,
      );
    });

    test('a foreground deletion waits for dependents that block it, and for no others', async () => {
      const namespace = await newNamespace();
      const owner = await owned(namespace, 'owner');
      const finalizers = ['example.com/hold'];
      const held = (name: string, blockOwnerDeletion: boolean) =>
        client.create(ConfigMap, {
          metadata: { namespace, name, finalizers, ownerReferences: [{ ...reference(owner), blockOwnerDeletion }] },
        });
      const [blocking, other] = [await held('blocking', true), await held('other', false)];
      await client.delete(ConfigMap, keyOf(owner), { propagationPolicy: 'Foreground' });
      for (const each of [blocking, other]) {
        await seen(ConfigMap, keyOf(each), ({ metadata }) => metadata.deletionTimestamp !== undefined);
      }
      assert.ok(await client.find(ConfigMap, keyOf(owner)));
      await client.patch(ConfigMap, keyOf(blocking), { metadata: { finalizers: null } });
      await gone(ConfigMap, keyOf(owner));
      assert.ok(await client.find(ConfigMap, keyOf(other)));
      await client.patch(ConfigMap, keyOf(other), { metadata: { finalizers: null } });
      await gone(ConfigMap, keyOf(other));
    });

    test('owners and dependents may be of kinds that were defined just now', async () => {
      const namespace = await newNamespace();
      await client.create(CustomResourceDefinition, widgetDefinition);
      await seen(CustomResourceDefinition, widgetDefinition.metadata.name, ({ status }) =>
        (status?.conditions ?? []).some(({ type, status: is }) => type === 'Established' && is === 'True'),
      );
      const newWidget = (name: string, ownerReferences: readonly ReturnType<typeof reference>[] = []) =>
        server.eventually(`Widget ${name}`, async () => {
          try {
            return await client.create(Widget, { metadata: { namespace, name, ownerReferences } });
          } catch (error) {
            if (isNotFound(error)) return undefined; // established, and not served for a moment
            throw error;
          }
        });
      const owner = await newWidget('owner');
      const widget = await newWidget('child', [reference(owner)]);
      const map = await owned(namespace, 'grandchild', reference(widget));
      await client.delete(Widget, keyOf(owner), { propagationPolicy: 'Foreground' });
      await gone(ConfigMap, keyOf(map));
      await gone(Widget, keyOf(owner));
    });

    test('a deleted namespace is emptied, whatever is in it, and waits for finalizers', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace);
      await rolledOut(namespace);
      const finalizers = ['example.com/hold'];
      const held = await client.create(ConfigMap, { metadata: { namespace, name: 'held', finalizers } });
      await client.delete(Namespace, namespace);
      // What goes by itself, as pods do, may be told of before.
      const told = {
        NamespaceFinalizersRemaining:
          'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        NamespaceContentRemaining: 'Some resources are remaining: configmaps. has 1 resource instances',
      };
      const going = await seen(Namespace, namespace, ({ status }) =>
        Object.entries(told).every(([type, message]) =>
          (status.conditions ?? []).some(
            (each) => each.type === type && each.status === 'True' && each.message === message,
          ),
        ),
      );
      assert.equal(going.status.phase, 'Terminating');
      assert.deepEqual(await list(Pod, namespace), []);
      await client.patch(ConfigMap, keyOf(held), { metadata: { finalizers: null } });
      await gone(Namespace, namespace);
    });

    test('the default ServiceAccount comes back when it is deleted', async () => {
      const namespace = await newNamespace();
      const { metadata } = await client.get(ServiceAccount, `${namespace}/default`);
      await client.delete(ServiceAccount, `${namespace}/default`);
      await seen(ServiceAccount, `${namespace}/default`, (each) => each.metadata.uid !== metadata.uid);
    });

    test('a deleted pod that does not stop is killed when its grace period is over, and not before', async () => {
      const namespace = await newNamespace();
      const pod = await client.create(Pod, {
        metadata: { namespace, name: 'slow', finalizers: ['example.com/look'] },
        spec: { nodeName: 'stubborn', terminationGracePeriodSeconds: 2, containers: [container] },
      });
      await seen(Pod, keyOf(pod), isReady);
      const result = await client.delete(Pod, keyOf(pod));
      assert.ok(result.type === 'terminating' && result.object.metadata.deletionGracePeriodSeconds === 2);
      const { deletionTimestamp = '' } = result.object.metadata;
      const killed = await seen(Pod, keyOf(pod), ({ status }) => status.phase === 'Failed');
      const { exitCode, finishedAt } = killed.status.containerStatuses?.[0]?.state?.terminated ?? {};
      assert.equal(exitCode, 137);
      assert.ok((finishedAt ?? '') >= deletionTimestamp, `${finishedAt} is not before ${deletionTimestamp}`);
      await seen(Pod, keyOf(pod), ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
      await client.patch(Pod, keyOf(pod), { metadata: { finalizers: null } });
      await gone(Pod, keyOf(pod));
    });

    test('a budget lets pods be evicted one after the other', async () => {
      const namespace = await newNamespace();
      await newDeployment(namespace, { replicas: 3 });
      await rolledOut(namespace);
      const key = `${namespace}/most`;
      const spec = { minAvailable: '60%', selector: { matchLabels: labels } };
      await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'most' }, spec });
      const allows = ({ status }: PodDisruptionBudget) => status.disruptionsAllowed === 1;
      const { status } = await seen(PodDisruptionBudget, key, allows);
      assert.deepEqual([status.expectedPods, status.desiredHealthy, status.currentHealthy], [3, 2, 3]);
      const [first, second] = await list(Pod, namespace);
      assert.ok(first && second);
      await evict(client, keyOf(first));
      await assert.rejects(evict(client, keyOf(second)), isTooManyRequests);
      await gone(Pod, keyOf(first));
      await seen(PodDisruptionBudget, key, allows);
      await evict(client, keyOf(second));
    });

    test('a budget asks whatever controls the pods how many there should be', async () => {
      const namespace = await newNamespace();
      await client.apply(CustomResourceDefinition, fleetDefinition, { fieldManager: 'test' });
      const fleet = await server.eventually('the kind Fleet', async () => {
        try {
          return await client.create(Fleet, { metadata: { namespace, name: 'f' }, spec: { size: 7 } } as never);
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      });
      const ownerReferences = [controllerReference(Fleet, fleet)];
      await client.create(Pod, {
        metadata: { namespace, name: 'p', labels, ownerReferences },
        spec: { containers: [container] },
      });
      const spec = { maxUnavailable: 2, selector: { matchLabels: labels } };
      await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'b' }, spec });
      const { status } = await seen(
        PodDisruptionBudget,
        `${namespace}/b`,
        ({ status: each }) => each.expectedPods === 7,
      );
      assert.equal(status.desiredHealthy, 5);
    });

    test('a StatefulSet makes its pods one after the other, and keeps their claims when it is scaled down', async () => {
      const namespace = await newNamespace();
      const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
      const seenPods: string[] = [];
      const stop = new AbortController();
      const informer = createInformer(client, Pod, { namespace });
      const stopped = informer.start(stop.signal);
      informer.subscribe(({ object }) => {
        const unready = informer.store.list().filter((pod) => !isReady(pod)).length;
        seenPods.push(`${object.metadata.name} ${unready}`);
      });
      await client.create(StatefulSet, {
        metadata: { namespace, name: 'web' },
        spec: {
          replicas: 3,
          serviceName: 'web',
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } },
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
        },
      });
      const key: NamespacedName = `${namespace}/web`;
      await seen(StatefulSet, key, ({ status }) => status.availableReplicas === 3);
      stop.abort();
      await stopped;
      assert.ok(
        seenPods.every((each) => /^web-[012] [01]$/.test(each)),
        seenPods.join(),
      );
      await client.patch(StatefulSet, key, { spec: { replicas: 1 } }, { subresource: 'scale' });
      await seen(StatefulSet, key, ({ status }) => status.replicas === 1);
      const claims = await list(PersistentVolumeClaim, namespace);
      assert.deepEqual(claims.map(({ metadata, status }) => `${metadata.name} ${status.phase}`).sort(), [
        'data-web-0 Bound',
        'data-web-1 Bound',
        'data-web-2 Bound',
      ]);
    });

    test('a DaemonSet runs on every node, also on one that is cordoned, and a service lists its pods', async () => {
      const namespace = await newNamespace();
      await client.create(DaemonSet, {
        metadata: { namespace, name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } },
        },
      });
      await client.create(Service, {
        metadata: { namespace, name: 'web' },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
      await seen(DaemonSet, `${namespace}/web`, ({ status }) => status.numberAvailable === 2);
      const slices = await server.eventually('two ready endpoints', async () => {
        const items = await list(EndpointSlice, namespace);
        const ready = items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready);
        return ready.length === 2 && items;
      });
      assert.equal(slices.length, 1);
      const pods = await list(Pod, namespace);
      assert.deepEqual(pods.map(({ spec }) => spec.nodeName).sort(), ['simulated-node', 'stubborn']);
      await client.delete(DaemonSet, `${namespace}/web`);
      await server.eventually('the last pod to go', async () => (await list(Pod, namespace)).length === 0);
    });

    test('a claim that is deleted stays until the last pod that uses it is gone', async () => {
      const namespace = await newNamespace();
      const key: NamespacedName = `${namespace}/data`;
      await client.create(PersistentVolumeClaim, {
        metadata: { namespace, name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const pod = await client.create(Pod, {
        metadata: { namespace, name: 'user' },
        spec: { containers: [container], volumes, terminationGracePeriodSeconds: 1 },
      });
      await seen(Pod, keyOf(pod), isReady);
      const { spec } = await client.get(PersistentVolumeClaim, key);
      await client.delete(PersistentVolumeClaim, key);
      assert.ok((await client.get(PersistentVolumeClaim, key)).metadata.deletionTimestamp);
      await client.delete(Pod, keyOf(pod));
      await gone(PersistentVolumeClaim, key);
      await gone(PersistentVolume, spec.volumeName ?? '');
    });

    test('a pod that fits no node is told so, and scheduled when one changes', async () => {
      const namespace = await newNamespace();
      await client.create(Pod, {
        metadata: { namespace, name: 'picky' },
        spec: { containers: [container], nodeSelector: { [namespace]: 'wanted' } },
      });
      const picky = await seen(Pod, `${namespace}/picky`, ({ status }) =>
        (status.conditions ?? []).some(({ type, status: is }) => type === 'PodScheduled' && is === 'False'),
      );
      assert.match(
        picky.status.conditions?.[0]?.message ?? '',
        /^0\/2 nodes are available: 1 node\(s\) didn't match .*, 1 node\(s\) were unschedulable\. /,
      );
      await client.patch(Node, 'simulated-node', { metadata: { labels: { [namespace]: 'wanted' } } });
      await seen(Pod, `${namespace}/picky`, isReady);
    });
  });
}

function isReady({ status }: Pod): boolean {
  return (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}
