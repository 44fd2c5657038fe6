/**
 * The story of Jobs, chapter by chapter, for any cluster: what happens to them, and what can be read afterwards. Pods run
 * on the simulated node, and the story says how they end.
 */
import type { Client } from '@keelson/client';
import { keyOf } from '@keelson/core';
import { Job, type JobSpec } from '@keelson/core/batch/v1';
import { Pod, type PodSpec } from '@keelson/core/v1';
import type { Server } from './behaviour.ts';
import { type Chapter, readNamespace } from './chapters.ts';

/** It runs until the story ends it. */
const container = { name: 'main', image: 'work:1', command: ['sleep', '3600'] };
export const podSpec: PodSpec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] };

type JobChanges = Partial<Omit<JobSpec, 'template'>>;

const newJob = (client: Client, namespace: string, spec: JobChanges = {}) =>
  client.create(Job, { metadata: { namespace, name: 'work' }, spec: { template: { spec: podSpec }, ...spec } });

export const podsIn = async (client: Client, namespace: string) => (await client.list(Pod, { namespace })).items;

const isRunning = ({ metadata, status }: Pod) => status.phase === 'Running' && metadata.deletionTimestamp === undefined;

/** The pods that run, as soon as there are so many. */
export const running = ({ client, eventually }: Server, namespace: string, count: number) =>
  eventually(`${count} running pods`, async () => {
    const pods = (await podsIn(client, namespace)).filter(isRunning);
    return pods.length === count && pods;
  });

/** Ends a pod's only container. */
export async function end(client: Client, pod: Pod, exitCode: number, conditions: object = {}): Promise<void> {
  const finishedAt = pod.metadata.creationTimestamp;
  const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: finishedAt, finishedAt };
  const containerStatuses = [
    { name: 'main', image: container.image, imageID: '', ready: false, restartCount: 0, state: { terminated } },
  ];
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  const status = { phase, containerStatuses, ...conditions };
  await client.patch(Pod, keyOf(pod), { status } as never, { subresource: 'status' });
}

const indexOf = ({ metadata }: Pod) => Number(metadata.annotations?.['batch.kubernetes.io/job-completion-index']);

/** The end of the Job, and of all that waits for it. */
const ended = ({ client, eventually }: Server, namespace: string, type: 'Complete' | 'Failed') =>
  eventually(`the Job to be ${type}`, async () => {
    const { status } = await client.get(Job, `${namespace}/work`);
    const pods = await podsIn(client, namespace);
    const isReleased = pods.every(({ metadata }) => !metadata.finalizers && metadata.deletionTimestamp === undefined);
    return isReleased && status.conditions?.some((each) => each.type === type && each.status === 'True');
  });

const patchJob = (client: Client, namespace: string, spec: JobChanges) =>
  client.patch(Job, `${namespace}/work`, { spec });

export const jobChapters: Readonly<Record<string, Chapter>> = {
  'three completions, two at a time': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { completions: 3, parallelism: 2 });
    for (const pod of await running(server, namespace, 2)) await end(client, pod, 0);
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 3 });
  },
  'a failure too many': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { backoffLimit: 0 });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 1);
    await ended(server, namespace, 'Failed');
    return readNamespace(server, namespace, { BackoffLimitExceeded: 1, SuccessfulCreate: 1 });
  },
  'a failed pod is replaced': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { backoffLimit: 1 });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 1);
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 2 });
  },
  'a deadline': async (server, namespace) => {
    await newJob(server.client, namespace, { activeDeadlineSeconds: 2 });
    await ended(server, namespace, 'Failed');
    return readNamespace(server, namespace, { DeadlineExceeded: 1, SuccessfulCreate: 1, SuccessfulDelete: 1 });
  },
  'a rest': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { parallelism: 2, completions: 2 });
    await running(server, namespace, 2);
    await patchJob(client, namespace, { suspend: true });
    await server.eventually('the rest', async () => {
      const { status } = await client.get(Job, `${namespace}/work`);
      return status.terminating === 0 && !status.active && (await podsIn(client, namespace)).length === 0;
    });
    const resting = await readNamespace(server, namespace, { SuccessfulCreate: 2, SuccessfulDelete: 2, Suspended: 1 });
    await patchJob(client, namespace, { suspend: false });
    for (const pod of await running(server, namespace, 2)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return [
      resting,
      await readNamespace(server, namespace, {
        Completed: 1,
        Resumed: 1,
        SuccessfulCreate: 4,
        SuccessfulDelete: 2,
        Suspended: 1,
      }),
    ];
  },
  indexes: async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { completionMode: 'Indexed', completions: 4, parallelism: 3 });
    const first = await running(server, namespace, 3);
    for (const pod of first.filter((each) => indexOf(each) !== 1)) await end(client, pod, 0);
    const rest = await server.eventually('the last index', async () => {
      const pods = (await podsIn(client, namespace)).filter(isRunning);
      return pods.some((pod) => indexOf(pod) === 3) && pods;
    });
    await server.eventually('the count', async () => {
      const { status } = await client.get(Job, `${namespace}/work`);
      return status.completedIndexes === '0,2';
    });
    for (const pod of rest) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 4 });
  },
  'a limit for each index': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, {
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 1,
    });
    const fail = (pods: readonly Pod[]) => Promise.all(pods.map((pod) => end(client, pod, indexOf(pod) === 0 ? 1 : 0)));
    await fail(await running(server, namespace, 2));
    await fail(await running(server, namespace, 1));
    await ended(server, namespace, 'Failed');
    return readNamespace(server, namespace, { FailedIndexes: 1, SuccessfulCreate: 3 });
  },
  'too many failed indexes': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, {
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 0,
    });
    const pods = await running(server, namespace, 3);
    for (const pod of pods.filter((each) => indexOf(each) === 1)) await end(client, pod, 1);
    await ended(server, namespace, 'Failed');
    return readNamespace(server, namespace, { MaxFailedIndexesExceeded: 1, SuccessfulCreate: 3, SuccessfulDelete: 2 });
  },
  'an exit code that ends it all': async (server, namespace) => {
    const { client } = server;
    const rules = [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [41, 42] } },
    ] as const;
    await newJob(client, namespace, { backoffLimit: 6, podFailurePolicy: { rules } });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 42);
    await ended(server, namespace, 'Failed');
    return readNamespace(server, namespace, { PodFailurePolicy: 1, SuccessfulCreate: 1 });
  },
  'failures that do not count': async (server, namespace) => {
    const { client } = server;
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] as const;
    await newJob(client, namespace, { backoffLimit: 0, podFailurePolicy: { rules } });
    const [pod] = await running(server, namespace, 1);
    const conditions = [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    if (pod) await end(client, pod, 137, { conditions });
    for (const next of await running(server, namespace, 1)) await end(client, next, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 2 });
  },
  'success before the end': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, {
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      successPolicy: { rules: [{ succeededIndexes: '0,2' }, { succeededIndexes: '0-2', succeededCount: 1 }] },
    });
    const pods = await running(server, namespace, 3);
    for (const pod of pods.filter((each) => indexOf(each) === 1)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 3, SuccessfulDelete: 2 });
  },
  'no completions': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { parallelism: 2 });
    const [first, second] = await running(server, namespace, 2);
    if (first) await end(client, first, 0);
    await server.eventually('the first success', async () => {
      return (await client.get(Job, `${namespace}/work`)).status.succeeded === 1;
    });
    if (second) await end(client, second, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 2 });
  },
  'less at a time': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { parallelism: 3, completions: 5 });
    await running(server, namespace, 3);
    await patchJob(client, namespace, { parallelism: 1 });
    await server.eventually('one pod', async () => {
      const { status } = await client.get(Job, `${namespace}/work`);
      return (
        status.active === 1 &&
        status.ready === 1 &&
        !status.terminating &&
        (await podsIn(client, namespace)).length === 1
      );
    });
    return readNamespace(server, namespace, { SuccessfulCreate: 3, SuccessfulDelete: 2 });
  },
  'a deleted pod is replaced when it has failed': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { podReplacementPolicy: 'Failed' });
    const [pod] = await running(server, namespace, 1);
    if (pod) await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 }); // it is killed, and so fails
    const replacements = await server.eventually('another pod', async () => {
      const pods = (await podsIn(client, namespace)).filter(isRunning);
      return pods.some(({ metadata }) => metadata.uid !== pod?.metadata.uid) && pods;
    });
    for (const each of replacements) await end(client, each, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 2 });
  },
  'deleted with its pods': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { parallelism: 2 });
    await running(server, namespace, 2);
    await client.delete(Job, `${namespace}/work`, { propagationPolicy: 'Background' });
    await server.eventually('nothing to be left', async () => (await podsIn(client, namespace)).length === 0);
    return readNamespace(server, namespace, { SuccessfulCreate: 2 });
  },
  'deleted without a word on its pods': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace);
    await running(server, namespace, 1);
    await client.delete(Job, `${namespace}/work`);
    await server.eventually('a pod of nobody', async () => {
      const pods = await podsIn(client, namespace);
      const job = await client.find(Job, `${namespace}/work`);
      return !job && pods.every(({ metadata }) => !metadata.ownerReferences && !metadata.finalizers);
    });
    return readNamespace(server, namespace, { SuccessfulCreate: 1 });
  },
  'a pod that was there before': async (server, namespace) => {
    const { client } = server;
    const labels = { app: 'work' };
    await client.create(Pod, { metadata: { namespace, name: 'work-early', labels }, spec: podSpec });
    await running(server, namespace, 1);
    await client.create(Job, {
      metadata: { namespace, name: 'work' },
      spec: {
        manualSelector: true,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec },
      },
    });
    await server.eventually('the adoption', async () => {
      return (await client.get(Job, `${namespace}/work`)).status.ready === 1;
    });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    return readNamespace(server, namespace, { Completed: 1 });
  },
  'a job that goes by itself': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { ttlSecondsAfterFinished: 1 });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 0);
    await server.eventually('nothing to be left', async () => {
      const job = await client.find(Job, `${namespace}/work`);
      return job === undefined && (await podsIn(client, namespace)).length === 0;
    });
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 1 });
  },
  'a selector that says nothing': async (server, namespace) => {
    const { client } = server;
    const template = { metadata: { labels: { app: 'work' } }, spec: podSpec };
    const spec = { manualSelector: true, selector: {}, template };
    await client.create(Job, { metadata: { namespace, name: 'work' }, spec });
    const silent = { ...spec, template: { spec: podSpec } }; // whose pods would have no labels, and so are not made
    await client.create(Job, { metadata: { namespace, name: 'works' }, spec: silent });
    for (const pod of await running(server, namespace, 1)) await end(client, pod, 0);
    await ended(server, namespace, 'Complete');
    await server.eventually('the other Job', async () => {
      return (await client.get(Job, `${namespace}/works`)).status.startTime !== undefined;
    });
    return readNamespace(server, namespace, { Completed: 1, SuccessfulCreate: 1 });
  },
  'a job of another controller': async (server, namespace) => {
    const { client } = server;
    await newJob(client, namespace, { managedBy: 'example.com/other' });
    await client.create(Job, { metadata: { namespace, name: 'works' }, spec: { template: { spec: podSpec } } });
    await running(server, namespace, 1);
    await server.eventually('the count', async () => {
      return (await client.get(Job, `${namespace}/works`)).status.ready === 1;
    });
    return readNamespace(server, namespace, { SuccessfulCreate: 1 });
  },
};
