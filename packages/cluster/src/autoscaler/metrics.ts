/** One metric of an autoscaler: how many pods it wants, and what its status shows. */
import type { Client } from '@keelson/client';
import { parseQuantity, printQuantity, unitsOf } from '@keelson/core';
import type { MetricSpec, MetricStatus, MetricTarget } from '@keelson/core/autoscaling/v2';
import type { Pod } from '@keelson/core/v1';
import { goSelector } from '../disruption/go-selector.ts';
import { resourceUsage } from './metrics-client.ts';
import { NoCount, replicaCount, type Tolerances } from './replica-count.ts';

export interface Proposal {
  readonly replicas: number;
  /** What the metric is called in reasons. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric wants nothing: the reason of the condition, what the condition says, and what the error says. */
export class MetricFailure extends Error {
  readonly reason: string;
  readonly why: string;

  constructor(reason: string, why: string, message: string) {
    super(message);
    this.reason = reason;
    this.why = why;
  }
}

export interface MetricQuestion {
  readonly client: Client;
  readonly namespace: string;
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** Throws a `MetricFailure` when the metric wants nothing. */
export async function proposalOf(spec: MetricSpec, question: MetricQuestion): Promise<Proposal> {
  const { resource, containerResource, pods, object, external } = spec;
  if (resource !== undefined) {
    const failed = failedToGet('FailedGetResourceMetric', `${resource.name} resource`);
    const found = await measured(resource.name, resource.target, undefined, question).catch(failed);
    return { ...found, status: { type: 'Resource', resource: { name: resource.name, current: found.current } } };
  }
  if (containerResource !== undefined) {
    const { name, container, target } = containerResource;
    const failed = failedToGet('FailedGetContainerResourceMetric', `${container} container`);
    const found = await measured(name, target, container, question).catch(failed);
    const status = { type: 'ContainerResource', containerResource: { name, container, current: found.current } };
    return { ...found, status };
  }
  // No adapter serves other metrics here, which a real controller says in these words.
  const noCustom =
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
  if (pods !== undefined) {
    const why = `unable to get metric ${pods.metric.name}: ${noCustom}`;
    throw new MetricFailure('FailedGetPodsMetric', why, `failed to get pods metric value: ${why}`);
  }
  if (object !== undefined) {
    const { kind, name } = object.describedObject;
    const why = `unable to get metric ${object.metric.name}: ${kind} on ${question.namespace} ${name}/${noCustom}`;
    throw new MetricFailure('FailedGetObjectMetric', why, `failed to get object metric value: ${why}`);
  }
  const { name = '', selector } = external?.metric ?? {};
  const shown = selector === undefined ? 'nil' : `&${goSelector(selector).replace(/^&/, '')}`;
  const why = `unable to get external metric ${question.namespace}/${name}/${shown}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
  throw new MetricFailure('FailedGetExternalMetric', why, `failed to get ${name} external metric value: ${why}`);
}

/** Only what cannot be computed is a failure of the metric; anything else is ours. */
const failedToGet =
  (reason: string, what: string) =>
  (error: unknown): never => {
    if (!(error instanceof NoCount)) throw error;
    throw new MetricFailure(reason, error.message, `failed to get ${what} metric value: ${error.message}`);
  };

const quantity = (resource: string, thousandths: number): string =>
  printQuantity({
    digits: BigInt(thousandths),
    exponent: -3,
    format: resource === 'memory' ? 'BinarySI' : 'DecimalSI',
    isShort: true,
  });

async function measured(
  resource: string,
  target: MetricTarget,
  container: string | undefined,
  { client, namespace, selector, ...question }: MetricQuestion,
): Promise<{ readonly replicas: number; readonly name: string; readonly current: object }> {
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined) {
    throw new NoCount(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  }
  const word = averageValue === undefined ? 'utilization' : 'usage';
  try {
    const usages = await resourceUsage(client, { namespace, selector, resource, container });
    const wanted =
      averageValue === undefined
        ? ({ type: 'utilization', percent: averageUtilization ?? 0 } as const)
        : ({ type: 'average', value: Number(unitsOf(parseQuantity(averageValue), -3)) } as const);
    const { replicas, average, utilization } = replicaCount({
      ...question,
      usages,
      resource,
      container,
      target: wanted,
    });
    const ofContainer = container === undefined ? '' : ' container';
    return {
      replicas,
      name:
        averageValue === undefined
          ? `${resource}${ofContainer} resource utilization (percentage of request)`
          : `${resource} resource`,
      current: {
        averageValue: quantity(resource, average),
        ...(utilization !== undefined && { averageUtilization: utilization }),
      },
    };
  } catch (error) {
    if (!(error instanceof NoCount)) throw error;
    throw new NoCount(`failed to get ${resource} ${word}: ${error.message}`);
  }
}
