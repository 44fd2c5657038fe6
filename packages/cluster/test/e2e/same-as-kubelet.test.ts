/**
 * The same pods on a real kubelet and on the simulated node: what can be read of them afterwards, status and Events, must
 * be the same. Where a machine would be needed (memory that runs out, a probe that fails), an annotation that the kubelet
 * ignores tells the simulated node what happens.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, createClient, createInformer, podLog } from '@keelson/client';
import { keyOf, type NamespacedName, type Transport } from '@keelson/core';
import { Event } from '@keelson/core/events/v1';
import { type Container, type NewPod, Pod, type PodSpec } from '@keelson/core/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { type Cluster, createCluster } from '../../src/index.ts';
import { seededRandom, VirtualClock } from '../virtual-time.ts';
import { eventually } from './eventually.ts';
import { masked } from './masked.ts';
import { connectTo } from './real-server.ts';

interface Chapter {
  readonly spec: Partial<PodSpec> & { readonly containers: readonly Container[] };
  readonly annotations?: Readonly<Record<string, string>>;
  /** When to look. */
  readonly until: (pod: Pod) => boolean;
  /** It is deleted as soon as it runs; a finalizer keeps what is left. */
  readonly isDeleted?: boolean;
}

const sh = (name: string, script: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'busybox:stable',
  command: ['sh', '-c', script],
  ...more,
});
/** Stops when it is asked to, which a shell that is the first process does not do by itself. */
const forever = 'trap "exit 0" TERM; while true; do sleep 0.1; done';
const told = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`pods.keelson/${name}`, value]));
const first = ({ status }: Pod) => status.initContainerStatuses?.[0] ?? status.containerStatuses?.[0];
const waitsFor =
  (reason: string, part = '') =>
  (pod: Pod) =>
    first(pod)?.state?.waiting?.reason === reason && (first(pod)?.state?.waiting?.message ?? '').includes(part);
const isIn = (phase: string) => (pod: Pod) => pod.status.phase === phase;
const isReady = ({ status }: Pod) =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
const isUnschedulable = ({ status }: Pod) =>
  status.conditions?.some(({ reason }) => reason === 'Unschedulable') === true;
// With time to answer: a probe that is given up on a busy machine is told of in other words.
const probe = { periodSeconds: 1, failureThreshold: 2, timeoutSeconds: 60 };

const chapters: Readonly<Record<string, Chapter>> = {
  'work that is done': {
    spec: { restartPolicy: 'Never', containers: [sh('main', 'echo hello; echo world')] },
    until: isIn('Succeeded'),
  },
  'work that fails': {
    spec: { restartPolicy: 'Never', containers: [sh('main', 'echo bad; exit 3'), sh('also', 'sleep 2')] },
    until: isIn('Failed'),
  },
  'work that fails and leaves its log as a message': {
    spec: {
      restartPolicy: 'Never',
      containers: [sh('main', 'echo why; exit 5', { terminationMessagePolicy: 'FallbackToLogsOnError' })],
    },
    until: isIn('Failed'),
  },
  'a crash loop': {
    spec: { containers: [sh('main', 'exit 2')] },
    until: waitsFor('CrashLoopBackOff', 'back-off 10s'),
  },
  'an image that cannot be pulled': {
    spec: { containers: [{ name: 'main', image: '127.0.0.1:1/team/doesnotexist:123' }] },
    annotations: told({ fails: 'ImagePullBackOff', message: 'failed to pull and unpack image' }),
    until: waitsFor('ImagePullBackOff'),
  },
  'an image that must not be pulled': {
    spec: { containers: [{ name: 'main', image: 'doesnotexist:123', imagePullPolicy: 'Never' }] },
    annotations: told({ fails: 'ImagePullBackOff' }),
    until: waitsFor('ErrImageNeverPull'),
  },
  'a name that is no image': {
    spec: { containers: [{ name: 'main', image: 'BAD//:name' }] },
    until: waitsFor('InvalidImageName'),
  },
  'an image in capitals': {
    spec: { containers: [{ name: 'main', image: 'example.com/Team/web:1' }] },
    until: waitsFor('InvalidImageName'),
  },
  'memory that runs out': {
    spec: { containers: [sh('main', 'tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })] },
    annotations: told({ fails: 'OOMKilled', exitAfterMs: '0' }),
    until: waitsFor('CrashLoopBackOff', 'back-off 10s'),
  },
  'memory that runs out once': {
    spec: {
      restartPolicy: 'Never',
      containers: [sh('main', 'exec tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })],
    },
    annotations: told({ fails: 'OOMKilled', exitAfterMs: '0' }),
    until: isIn('Failed'),
  },
  'readiness that fails': {
    spec: {
      containers: [
        sh('main', forever, { readinessProbe: { exec: { command: ['sh', '-c', 'echo nope; exit 1'] }, ...probe } }),
      ],
    },
    annotations: told({ fails: 'ReadinessProbe', message: 'nope\n' }),
    until: isIn('Running'),
  },
  'liveness that fails': {
    spec: {
      containers: [
        sh('main', forever, { livenessProbe: { exec: { command: ['sh', '-c', 'echo sick; exit 1'] }, ...probe } }),
      ],
    },
    annotations: told({ fails: 'LivenessProbe', message: 'sick\n', stopAfterMs: '0' }),
    until: (pod) => first(pod)?.restartCount === 1 && isReady(pod),
  },
  'a start that fails': {
    spec: { containers: [sh('main', forever, { startupProbe: { exec: { command: ['false'] }, ...probe } })] },
    annotations: told({ fails: 'StartupProbe', stopAfterMs: '0' }),
    until: (pod) => first(pod)?.restartCount === 1,
  },
  'containers that prepare, and one beside': {
    spec: {
      initContainers: [sh('one', 'sleep 1'), sh('side', forever, { restartPolicy: 'Always' }), sh('two', 'sleep 1')],
      containers: [sh('main', forever)],
    },
    until: isReady,
  },
  'preparation under way': {
    spec: { initContainers: [sh('one', 'sleep 3600'), sh('two', 'exit 0')], containers: [sh('main', forever)] },
    until: (pod) => first(pod)?.state?.running !== undefined,
  },
  'preparation that fails': {
    spec: { initContainers: [sh('one', 'exit 7')], containers: [sh('main', forever)] },
    until: waitsFor('CrashLoopBackOff', 'back-off 10s'),
  },
  'preparation that fails for good': {
    spec: { restartPolicy: 'Never', initContainers: [sh('one', 'exit 7')], containers: [sh('main', forever)] },
    until: isIn('Failed'),
  },
  'work with one beside': {
    spec: {
      restartPolicy: 'Never',
      initContainers: [sh('side', forever, { restartPolicy: 'Always' })],
      containers: [sh('main', 'sleep 2')],
    },
    until: isIn('Succeeded'),
  },
  'a deadline': {
    // Late enough for a busy kubelet to have started it before.
    spec: { activeDeadlineSeconds: 20, containers: [sh('main', forever)] },
    until: isIn('Failed'),
  },
  'a node that is not there': {
    spec: { nodeSelector: { disk: 'tape' }, containers: [sh('main', forever)] },
    until: isUnschedulable,
  },
  'more than a node has': {
    spec: { containers: [sh('main', forever, { resources: { requests: { cpu: '1000' } } })] },
    annotations: told({ fails: 'Unschedulable', message: 'Insufficient cpu' }),
    until: isUnschedulable,
  },
  'a pod that is stopped': { spec: { containers: [sh('main', forever)] }, until: isIn('Succeeded'), isDeleted: true },
  'a pod that is killed': {
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [sh('main', 'trap "" TERM; while true; do sleep 0.1; done')],
    },
    annotations: told({ stopAfterMs: '60000' }),
    until: isIn('Failed'),
    isDeleted: true,
  },
};

const nameOf = (title: string) => title.replaceAll(/[^a-z]+/g, '-');

function newPod(title: string, { spec, annotations = {}, isDeleted = false }: Chapter): NewPod {
  const finalizers = isDeleted ? ['example.com/hold'] : [];
  return {
    metadata: { namespace: 'default', name: nameOf(title), annotations, finalizers },
    // Without a token: a kubelet that asks for one too early tells of it.
    spec: { automountServiceAccountToken: false, terminationGracePeriodSeconds: 5, ...spec },
  };
}

/** What a kubelet knows of a real container and the simulated node does not: image, user, mounts, resources, machine. */
const onlyReal = new Set(['image', 'user', 'volumeMounts', 'resources', 'allocatedResources', 'hostIP', 'hostIPs']);

function readable({ status }: Pod): unknown {
  const without = JSON.parse(JSON.stringify(status), (name, value: unknown) =>
    onlyReal.has(name) ? undefined : value,
  );
  return JSON.parse(worded(JSON.stringify(masked(without, new Map()))));
}

/** What the runtime says to a failed pull is its own business. */
const worded = (text: string): string =>
  text
    .replaceAll(/\([0-9a-f]{8}-[0-9a-f-]{27}\)/g, '(UID)')
    .replaceAll(/failed to pull and unpack image.*?(?="[,}\]])/g, 'failed to pull and unpack image');

async function eventsOf(client: Client, title: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: 'default', fields: `regarding.name=${nameOf(title)}` });
  const said = items
    .filter(({ reason }) => reason !== 'MissingClusterDNS')
    .map(({ type, reason, note, regarding }) => worded(JSON.stringify([type, reason, regarding?.fieldPath, note])));
  return [...new Set(said)].sort();
}

async function logOf(client: Client, key: NamespacedName): Promise<string> {
  let text = '';
  for await (const chunk of podLog(client, key, { container: 'main' })) text += Buffer.from(chunk).toString();
  return text;
}

const available = await availability({ pods: true });

describe('the simulated node and a kubelet', { skip: available.available ? false : available.reason }, () => {
  let kube: Kubernetes;
  let transport: Transport;
  let theirs: Client;
  /** Every version of every pod: what passes by must not be missed. */
  const seen: Pod[] = [];
  const stop = new AbortController();
  let watching: Promise<void> | undefined;
  let cluster: Cluster;
  let ours: Client;
  const clock = new VirtualClock();

  before(async () => {
    kube = await startKubernetes({ pods: true });
    transport = await connectTo(kube);
    theirs = createClient({ transport });
    const informer = createInformer(theirs, Pod, { namespace: 'default' });
    informer.subscribe(({ object }) => seen.push(object));
    watching = informer.start(stop.signal);
    await informer.synced;
    const random = seededRandom(1);
    cluster = createCluster({ clock, random, node: { name: 'keelson', readyAfterMs: 0, stopAfterMs: 500 } });
    await cluster.ready;
    await clock.settle();
    ours = createClient({ transport: cluster.transport, clock, random });
    // All at once: a kubelet takes its time for each of them.
    for (const [title, chapter] of Object.entries(chapters)) await theirs.create(Pod, newPod(title, chapter));
  });
  after(async () => {
    stop.abort();
    await watching;
    await cluster?.[Symbol.asyncDispose]();
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  for (const [title, chapter] of Object.entries(chapters)) {
    test(`${title}: the same can be read afterwards`, async () => {
      const key = `default/${nameOf(title)}` as const;
      const readOurs = async (holds: (pod: Pod) => boolean) => {
        for (let step = 0; step < 600; step += 1) {
          const pod = await ours.get(Pod, key);
          if (holds(pod)) return pod;
          await clock.step(1000);
        }
        throw new Error(`waited in vain: ${JSON.stringify((await ours.get(Pod, key)).status)}`);
      };
      const readTheirs = (holds: (pod: Pod) => boolean) =>
        eventually(title, async () => seen.find((pod) => keyOf(pod) === key && holds(pod)));
      const tell = async (client: Client, read: typeof readOurs) => {
        if (chapter.isDeleted) {
          await read(isReady);
          await client.delete(Pod, key);
        }
        return read(chapter.until);
      };
      await ours.create(Pod, newPod(title, chapter));
      const actual = await tell(ours, readOurs);
      await clock.advance(60_000); // what it tells later, it may have told already
      const events = await eventsOf(ours, title);
      const expected = await tell(theirs, readTheirs);
      assert.deepEqual(readable(actual), readable(expected));

      await eventually('all events', async () => {
        const there = await eventsOf(theirs, title);
        return events.every((event) => there.includes(event));
      }).catch(() => {}); // compared below, with what is missing
      assert.deepEqual(events, await eventsOf(theirs, title));
      if (actual.status.phase === 'Succeeded' && !chapter.isDeleted) {
        assert.equal(await logOf(ours, keyOf(actual)), await logOf(theirs, keyOf(expected)));
      }
    });
  }
});
