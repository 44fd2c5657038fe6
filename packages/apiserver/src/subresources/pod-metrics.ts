/**
 * The resource metrics API (metrics.k8s.io), of pods: what a metrics server would answer behind the aggregator.
 *
 * Promises: without a source of usage there is no such API, as in a cluster without a metrics server.
 * Does not: appear in discovery, or measure nodes.
 */
import { matchesLabels, parseLabelSelector, timestamp } from '@keelson/core';
import type { Pod } from '@keelson/core/v1';
import { type JsonObject, readAs } from '../object.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/exchange.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import { keyIn } from '../resource/resource.ts';
import { badRequest, methodUnknown, notFound } from '../status.ts';
import type { Context } from '../verbs/context.ts';

const group = 'metrics.k8s.io';
const apiVersion = `${group}/v1beta1`;
/** Over how long a metrics server measures, by default. */
const window = '15s';

/** `undefined` for every other path. */
export function podMetrics(context: Context, info: ResourceInfo, request: ApiRequest): ApiResponse | undefined {
  const { podUsage, objects, clock } = context;
  if (info.group !== group || info.version !== 'v1beta1' || info.resource !== 'pods') return undefined;
  if (podUsage === undefined) return undefined;
  if (info.verb !== 'get' && info.verb !== 'list') throw methodUnknown();
  const now = timestamp(clock.now());
  const measured = (pod: Pod): JsonObject | undefined => {
    const usage = pod.status?.phase === 'Running' ? podUsage(pod) : undefined;
    if (usage === undefined) return undefined;
    const { name, namespace, labels } = pod.metadata;
    return {
      metadata: { name, namespace, creationTimestamp: now, ...(labels !== undefined && { labels }) },
      timestamp: now,
      window,
      containers: Object.entries(usage).map(([container, used]) => ({ name: container, usage: used })),
    };
  };
  if (info.verb === 'get') {
    const pod = objects.find('pods', keyIn(info.namespace, info.name));
    const found = pod && measured(readAs<Pod>(pod));
    if (found === undefined) throw notFound({ group, name: 'pods' }, keyIn(info.namespace, info.name));
    return jsonResponse(200, { kind: 'PodMetrics', apiVersion, ...found });
  }
  const requirements = selected(request.query.get('labelSelector') ?? '');
  const items = [...objects.list('pods')]
    .map((pod) => readAs<Pod>(pod))
    .filter(({ metadata }) => info.namespace === '' || metadata.namespace === info.namespace)
    .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
    .flatMap((pod) => measured(pod) ?? []);
  return jsonResponse(200, { kind: 'PodMetricsList', apiVersion, metadata: {}, items });
}

function selected(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}
