/**
 * Since when the endpoints of a service should have been different, for those who measure how long that takes: the
 * earliest of what changed since the last time that it was asked.
 */
import type { Pod, Service } from '@keelson/core/v1';

interface Known {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** As the annotation has it; `undefined` when nothing that is timed has changed. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const created = service.metadata.creationTimestamp;
    const now = new Map(pods.flatMap((pod) => readinessOf(pod)));
    this.#known.set(key, { service: Date.parse(created), pods: now });
    if (!before) return created;
    const changed = [...now].filter(([name, time]) => time > (before.pods.get(name) ?? 0)).map(([, time]) => time);
    if (Date.parse(created) > before.service) changed.push(Date.parse(created));
    return changed.length === 0 ? undefined : seconds(Math.min(...changed));
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** The time at which a pod last became ready, or ceased to be. */
function readinessOf({ metadata, status }: Pod): readonly (readonly [string, number])[] {
  const time = status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return time ? [[metadata.name, Date.parse(time)]] : [];
}

const seconds = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
