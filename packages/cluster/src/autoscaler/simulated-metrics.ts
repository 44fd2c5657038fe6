/**
 * What simulated pods use: what somebody said they do.
 *
 * Promises: what was said last of a pod counts; of pods that nobody spoke of, nothing is known.
 */
import { type Labels, matchesLabels, requirementsOf } from '@keelson/core';
import type { Pod } from '@keelson/core/v1';

/** Which pods: all that have the name, the namespace and the labels that are given. */
export interface MeasuredPods {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labels?: Labels | undefined;
}

/** What a pod uses, all its containers together. */
export interface Usage {
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
}

/** Says what pods use, for autoscalers and for everybody who asks metrics.k8s.io. */
export interface SimulatedMetrics {
  /**
   * From now on these pods use so much each; `undefined` means that it is not known.
   *
   * @example
   * cluster.metrics.set({ namespace: 'default', labels: { app: 'web' } }, { cpu: '900m' });
   */
  set(pods: MeasuredPods, usage: Usage | undefined): void;
}

export class MetricsBoard implements SimulatedMetrics {
  #entries: { readonly pods: MeasuredPods; readonly usage: Usage | undefined }[] = [];

  set(pods: MeasuredPods, usage: Usage | undefined): void {
    const isSame = (other: MeasuredPods) => JSON.stringify(other) === JSON.stringify(pods);
    this.#entries = [...this.#entries.filter((each) => !isSame(each.pods)), { pods, usage }];
  }

  /** By container: the first one does all the work. */
  usageOf(pod: Pod): Readonly<Record<string, Readonly<Record<string, string>>>> | undefined {
    const usage = this.#entries.findLast(({ pods }) => isMeant(pods, pod))?.usage;
    if (usage === undefined) return undefined;
    const amounts = Object.entries(usage).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return Object.fromEntries(
      (pod.spec?.containers ?? []).map(({ name }, index) => [
        name,
        Object.fromEntries(amounts.map(([resource, amount]) => [resource, index === 0 ? amount : '0'])),
      ]),
    );
  }
}

function isMeant({ name, namespace, labels }: MeasuredPods, { metadata }: Pod): boolean {
  if (name !== undefined && name !== metadata.name) return false;
  if (namespace !== undefined && namespace !== metadata.namespace) return false;
  return labels === undefined || matchesLabels(requirementsOf({ matchLabels: labels }), metadata.labels);
}
