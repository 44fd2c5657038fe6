/** What is told of HorizontalPodAutoscalers: each is looked at once, or until it says what is expected. */
import type { Client } from '@keelson/client';
import { Deployment } from '@keelson/core/apps/v1';
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type MetricSpec,
} from '@keelson/core/autoscaling/v2';
import { eventually } from '../eventually.ts';
import { type Chapter, labels, readAll, readEvents, template } from '../story.ts';

const newDeployment = (client: Client, namespace: string, replicas: number) => {
  const resources = { requests: { cpu: '1', memory: '1Gi' } };
  const { metadata, spec } = template('web:1');
  const containers = [{ name: 'web', image: 'web:1', resources }];
  return client.create(Deployment, {
    metadata: { namespace, name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata, spec: { ...spec, containers } } },
  });
};

const isReady = (client: Client, namespace: string, replicas: number) =>
  eventually(
    `${replicas} pods`,
    async () => (await client.get(Deployment, `${namespace}/web`)).status.availableReplicas === replicas,
  );

const memory: MetricSpec = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } },
};

const newAutoscaler = (client: Client, namespace: string, spec: Partial<HorizontalPodAutoscalerSpec> = {}) =>
  client.create(HorizontalPodAutoscaler, {
    metadata: { namespace, name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [memory],
      ...spec,
    },
  });

/** The autoscaler, how many it wants, and what it has said, once a condition has that reason and so many events are told. */
const judged = (client: Client, namespace: string, reason: string, events: number) =>
  eventually(`${reason} and ${events} events`, async () => {
    const { status } = await client.get(HorizontalPodAutoscaler, `${namespace}/web`);
    if (!status?.conditions?.some((each) => each.reason === reason)) return undefined;
    const told = (await readEvents(client, namespace, ['horizontal-pod-autoscaler'])) as readonly unknown[];
    if (told.length < events) return undefined;
    const target = await client.find(Deployment, `${namespace}/web`);
    return [await readAll(client, namespace, [HorizontalPodAutoscaler]), target?.spec.replicas, told];
  });

export const autoscalers: Readonly<Record<string, Chapter>> = {
  'an autoscaler whose pods work too hard': async (client, namespace, metrics) => {
    metrics.set({ namespace }, { memory: '900Mi' });
    await newDeployment(client, namespace, 2);
    await isReady(client, namespace, 2);
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'SucceededRescale', 1);
  },
  'an autoscaler whose pods have too little to do': async (client, namespace, metrics) => {
    metrics.set({ namespace }, { memory: '100Mi' });
    await newDeployment(client, namespace, 4);
    await isReady(client, namespace, 4);
    await newAutoscaler(client, namespace, { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    return judged(client, namespace, 'SucceededRescale', 1);
  },
  'an autoscaler that waits before it takes pods away': async (client, namespace, metrics) => {
    metrics.set({ namespace }, { memory: '100Mi' });
    await newDeployment(client, namespace, 3);
    await isReady(client, namespace, 3);
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'ScaleDownStabilized', 0);
  },
  'an autoscaler that wants more than it may': async (client, namespace, metrics) => {
    metrics.set({ namespace }, { memory: '1Gi' });
    const target = { type: 'AverageValue' as const, averageValue: '100Mi' };
    await newDeployment(client, namespace, 2);
    await isReady(client, namespace, 2);
    await newAutoscaler(client, namespace, {
      maxReplicas: 3,
      metrics: [memory, { type: 'ContainerResource', containerResource: { name: 'memory', container: 'web', target } }],
    });
    return judged(client, namespace, 'SucceededRescale', 1);
  },
  'an autoscaler whose pods nobody measured': async (client, namespace) => {
    await newDeployment(client, namespace, 2);
    await isReady(client, namespace, 2);
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'FailedGetResourceMetric', 2);
  },
  'an autoscaler by a metric that nobody serves': async (client, namespace) => {
    await newDeployment(client, namespace, 2);
    await isReady(client, namespace, 2);
    const target = { type: 'AverageValue' as const, averageValue: '10' };
    await newAutoscaler(client, namespace, {
      metrics: [{ type: 'Pods', pods: { metric: { name: 'requests' }, target } }],
    });
    return judged(client, namespace, 'FailedGetPodsMetric', 2);
  },
  'an autoscaler whose target is too large': async (client, namespace) => {
    await newDeployment(client, namespace, 7);
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'SucceededRescale', 1);
  },
  'an autoscaler whose target rests': async (client, namespace) => {
    await newDeployment(client, namespace, 0);
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'ScalingDisabled', 0);
  },
  'an autoscaler without a target': async (client, namespace) => {
    await newAutoscaler(client, namespace);
    return judged(client, namespace, 'FailedGetScale', 1);
  },
};
