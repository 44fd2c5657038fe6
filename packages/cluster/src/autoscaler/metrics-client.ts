/** What pods use, as the resource metrics API (metrics.k8s.io) reports it. */
import type { Client } from '@keelson/client';
import { isNotFound, parseQuantity, unitsOf } from '@keelson/core';
import { reasonOf } from '../error-reason.ts';
import { NoCount, type Usages } from './replica-count.ts';

interface PodMetrics {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  /** Such as `30s`. */
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

export interface UsageQuestion {
  readonly namespace: string;
  /** As text. */
  readonly selector: string;
  readonly resource: string;
  readonly container?: string | undefined;
}

const missing = 'the server could not find the requested resource (get pods.metrics.k8s.io)';

/** Throws a `NoCount` in the real controller's words when nothing is known. */
export async function resourceUsage(client: Client, question: UsageQuestion): Promise<Usages> {
  const { namespace, selector, resource, container } = question;
  const items = await read(client, namespace, selector, resource);
  const values = new Map<string, number>();
  for (const { metadata, containers } of items) {
    const meant = container === undefined ? containers : containers.filter(({ name }) => name === container);
    // A pod of which one container is not known is not known.
    if (meant.length === 0 || meant.some(({ usage }) => usage[resource] === undefined)) continue;
    const used = meant.reduce((sum, { usage }) => sum + Number(unitsOf(parseQuantity(usage[resource] ?? '0'), -3)), 0);
    values.set(metadata.name, used);
  }
  const [first] = items;
  return {
    values,
    measuredAt: Date.parse(first?.timestamp ?? ''),
    windowMs: Number.parseFloat(first?.window ?? '0') * 1000,
  };
}

async function read(
  client: Client,
  namespace: string,
  selector: string,
  resource: string,
): Promise<readonly PodMetrics[]> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  const failed = (why: string) => new NoCount(`unable to get metrics for resource ${resource}: ${why}`);
  let items: readonly PodMetrics[];
  try {
    ({ items } = (await client.getRaw(path)) as { readonly items: readonly PodMetrics[] });
  } catch (error) {
    const why = isNotFound(error) ? missing : reasonOf(error);
    throw failed(`unable to fetch metrics from resource metrics API: ${why}`);
  }
  if (items.length === 0) throw failed('no metrics returned from resource metrics API');
  return items;
}
