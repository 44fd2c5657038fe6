/**
 * Monitors: one watch for each resource that the server has, of metadata alone.
 *
 * Resources come and go with their definitions; `update` follows.
 */
import type { DiscoveredKind, InformerEvent, InformerHandle, SharedInformers } from '@keelson/client';
import { type Clock, type KubernetesObject, resourceNameOf } from '@keelson/core';

export interface MonitorsOptions {
  readonly informers: SharedInformers;
  readonly clock: Clock;
  /** When it is aborted, nothing is waited for any more. */
  readonly signal: AbortSignal;
  readonly onEvent: (resource: DiscoveredKind, event: InformerEvent) => void;
}

interface Monitor {
  readonly handle: InformerHandle;
  readonly startedAt: number;
}

/** How long a watch may take to show everything, before the others are no longer kept waiting. */
const patienceMs = 30_000;

/** Events have no owners, and there are many. */
const ignored: readonly string[] = ['events', 'events.events.k8s.io'];

export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  async update(resources: readonly DiscoveredKind[]): Promise<void> {
    const wanted = new Map(resources.filter(isCollectable).map((each) => [idOf(each), each]));
    for (const [id, resource] of wanted) if (!this.#monitors.has(id)) this.#monitors.set(id, this.#start(resource));
    const superfluous = [...this.#monitors].filter(([id]) => !wanted.has(id));
    for (const [id] of superfluous) this.#monitors.delete(id);
    await Promise.all(superfluous.map(([, { handle }]) => handle[Symbol.asyncDispose]()));
  }

  /** Whether the graph can be trusted to be complete. */
  get areComplete(): boolean {
    const { clock } = this.#options;
    return [...this.#monitors.values()].every(
      ({ handle, startedAt }) => handle.health.synced || clock.monotonic() - startedAt >= patienceMs,
    );
  }

  /** Settles when they are complete, or have had their time. */
  async whenComplete(): Promise<void> {
    const waits = [...this.#monitors.values()].map(({ handle }) => this.#orImpatient(handle.synced));
    await Promise.all(waits);
  }

  #start(resource: DiscoveredKind): Monitor {
    const { informers, clock, onEvent } = this.#options;
    const handle = informers.informer(resource, { transform: metadataOnly });
    handle.subscribe((event) => onEvent(resource, event));
    return { handle, startedAt: clock.monotonic() };
  }

  #orImpatient(synced: Promise<void>): Promise<void> {
    const { clock, signal } = this.#options;
    return new Promise((resolve) => {
      const settled = () => {
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', settled);
        resolve();
      };
      const timer = clock.setTimer(patienceMs, settled);
      synced.then(settled, settled);
      signal.addEventListener('abort', settled);
      if (signal.aborted) settled();
    });
  }
}

function isCollectable(resource: DiscoveredKind): boolean {
  const canBe = (verb: string) => resource.verbs.includes(verb);
  return canBe('delete') && canBe('list') && canBe('watch') && !ignored.includes(resourceNameOf(resource));
}

/** By which a watch of it is told apart from others. */
export const idOf = ({ group, version, resource }: DiscoveredKind): string => `${group}/${version}/${resource}`;

/** Of an object what links it to others; whoever watches by this shares the watch. */
export function metadataOnly({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(namespace === undefined ? {} : { namespace }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}
