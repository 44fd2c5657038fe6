/** What is told of ResourceQuotas and LimitRanges: what is counted, filled in and refused, and what workloads say of it. */
import type { Client } from '@keelson/client';
import { isForbidden } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { LimitRange, Pod, ResourceQuota, Secret, Service } from '@keelson/core/v1';
import { eventually } from '../eventually.ts';
import { type Chapter, isReady, labels, readAll, readEvents, template } from '../story.ts';

type Amounts = Readonly<Record<string, string>>;

const newQuota = (client: Client, namespace: string, hard: Amounts, scopes: ResourceQuota['spec'] = {}) =>
  client.create(ResourceQuota, { metadata: { namespace, name: 'some' }, spec: { hard, ...scopes } });

/** The quota, once it counts so much. */
const counted = (client: Client, namespace: string, used: Amounts) =>
  eventually(`the quota to count ${JSON.stringify(used)}`, async () => {
    const { status } = await client.get(ResourceQuota, `${namespace}/some`);
    const isCounted = Object.entries(used).every(([name, amount]) => status?.used?.[name] === amount);
    return isCounted && readAll(client, namespace, [ResourceQuota]);
  });

const asking = (requests: Amounts, limits?: Amounts) => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'web', image: 'web:1', resources: { requests, ...(limits && { limits }) } }],
});

/** An API server that has not yet heard what a quota counts refuses everything; then again. */
const newPod = (client: Client, namespace: string, name: string, spec: object) =>
  eventually(`the pod ${name}`, async () => {
    try {
      return await client.create(Pod, { metadata: { namespace, name }, spec: spec as Pod['spec'] });
    } catch (error) {
      if (isForbidden(error) && error.status.message?.includes('status unknown for quota')) return undefined;
      throw error;
    }
  });

/** Several reasons in one order: Kubernetes gives them as Go walks a map, which is by chance. */
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'it was not refused',
    (error: unknown) => {
      const text = (isForbidden(error) ? error.status.message : String(error)) ?? '';
      return text.replace(/\[(.*)\]/, (_, reasons: string) =>
        reasons
          .split(/, (?=m)/)
          .sort()
          .join('; '),
      );
    },
  );

const newSet = (client: Client, namespace: string) =>
  client.create(ReplicaSet, {
    metadata: { namespace, name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: template('web:1') },
  });

/** What the set says of the pod that it made and of those that it may not make, but for their names. */
const failures = (client: Client, namespace: string) =>
  eventually('the failure', async () => {
    const { status } = await client.get(ReplicaSet, `${namespace}/web`);
    const failed = status.conditions?.find(({ type }) => type === 'ReplicaFailure');
    const events = JSON.stringify(await readEvents(client, namespace, ['replicaset-controller']));
    const isTold = ['FailedCreate', 'SuccessfulCreate'].every((reason) => events.includes(`"${reason}"`));
    if (failed === undefined || !isTold) return undefined;
    const plain = JSON.stringify([{ ...failed, lastTransitionTime: '' }, JSON.parse(events)])
      .replaceAll(/web-\w{5}/g, 'web-POD')
      .replaceAll('(combined from similar events): ', '');
    const [condition, told] = JSON.parse(plain) as [unknown, readonly unknown[]];
    return [condition, [...new Set(told.map((each) => JSON.stringify(each)))].sort()];
  });

export const quotas: Readonly<Record<string, Chapter>> = {
  'a quota counts what was there, what comes and what goes': async (client, namespace) => {
    await newPod(client, namespace, 'early', asking({ cpu: '100m' }, { cpu: '1' }));
    await newQuota(client, namespace, {
      pods: '3',
      'requests.cpu': '1',
      'limits.cpu': '5',
      secrets: '2',
      services: '5',
      'services.nodeports': '1',
      'count/replicasets.apps': '1',
    });
    const states = [await counted(client, namespace, { pods: '1', 'requests.cpu': '100m' })];
    await newPod(client, namespace, 'late', asking({ cpu: '250m' }, { cpu: '1' }));
    await client.create(Secret, { metadata: { namespace, name: 'a' } });
    await client.create(Service, {
      metadata: { namespace, name: 'open' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    });
    states.push(await counted(client, namespace, { pods: '2', secrets: '1', 'services.nodeports': '1' }));
    const refusals = [
      await refusal(newPod(client, namespace, 'large', asking({ cpu: '700m' }, { cpu: '1' }))),
      await refusal(newPod(client, namespace, 'silent', asking({ memory: '1Gi' }))),
    ];
    await eventually('the pod', async () => isReady(await client.get(Pod, `${namespace}/early`)));
    await client.delete(Pod, `${namespace}/early`);
    await client.delete(Secret, `${namespace}/a`);
    await client.patch(Service, `${namespace}/open`, { spec: { type: 'ClusterIP' } });
    states.push(
      await counted(client, namespace, { pods: '1', 'requests.cpu': '250m', secrets: '0', 'services.nodeports': '0' }),
    );
    await client.patch(ResourceQuota, `${namespace}/some`, {
      spec: { hard: { secrets: null, 'count/serviceaccounts': '3' } },
    });
    states.push(await counted(client, namespace, { 'count/serviceaccounts': '1' }));
    return [states, refusals];
  },
  'a quota of pods that end': async (client, namespace) => {
    await newQuota(client, namespace, { pods: '2', 'count/pods': '2' }, { scopes: ['BestEffort'] });
    await counted(client, namespace, { pods: '0' });
    const ending = { restartPolicy: 'Never', containers: [{ name: 'web', image: 'web:1', command: ['true'] }] };
    await newPod(client, namespace, 'ending', ending);
    await newPod(client, namespace, 'modest', asking({ cpu: '1' }));
    return counted(client, namespace, { pods: '0', 'count/pods': '1' });
  },
  'a replica set under a quota of one': async (client, namespace) => {
    await newQuota(client, namespace, { pods: '1' });
    await counted(client, namespace, { pods: '0' });
    await newSet(client, namespace);
    return [await failures(client, namespace), await counted(client, namespace, { pods: '1' })];
  },
  'limits that fill in, and limits that refuse': async (client, namespace) => {
    await client.create(LimitRange, {
      metadata: { namespace, name: 'bounds' },
      spec: {
        limits: [
          {
            type: 'Container',
            default: { cpu: '500m' },
            defaultRequest: { cpu: '100m' },
            max: { cpu: '2', memory: '1Gi' },
          },
          { type: 'Pod', max: { cpu: '3' }, maxLimitRequestRatio: { cpu: '5' } },
        ],
      },
    });
    await newQuota(client, namespace, { 'requests.cpu': '1', 'limits.cpu': '1' });
    await counted(client, namespace, { 'requests.cpu': '0' });
    const made = await newPod(client, namespace, 'silent', asking({ memory: '1Mi' }, { memory: '1Gi' }));
    const refused = await refusal(
      newPod(client, namespace, 'large', asking({ cpu: '2' }, { cpu: '4', memory: '2Gi' })),
    );
    await newSet(client, namespace);
    return [
      made.metadata.annotations,
      made.spec.containers.map(({ resources }) => resources),
      refused,
      await failures(client, namespace),
      await counted(client, namespace, { 'requests.cpu': '200m' }),
    ];
  },
};
