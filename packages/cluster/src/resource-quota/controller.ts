/**
 * The ResourceQuota controller: keeps in the status of each quota what its namespace uses.
 *
 * The API server adds what it grants by itself; here is counted what was there before, and what has gone. It is counted
 * from the server's latest state, behind the version of the quota that is written: a grant in between makes the write
 * fail, and all is counted again. Before the first count the server grants without a word in the status, so that what
 * came in between is found by a second count.
 */
import { createWorkQueue, type DiscoveredKind, type InformerEvent, type InformerHandle } from '@keelson/client';
import { equalJson, isNotFound, keyOf, type NamespacedName, resourceNameOf } from '@keelson/core';
import { type Counted, isTerminating, quotaNames } from '@keelson/core/quota';
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { idOf, metadataOnly } from '../garbage-collector/monitors.ts';
import { resourcesOf } from '../resources.ts';
import { type Census, statusOf, takesOther } from './quota-status.ts';

/** Everything is counted again so often, whatever was seen or missed. */
const resyncMs = 5 * 60_000;

export function startResourceQuotaController(context: ControllerContext): RunningController {
  const controller = new ResourceQuotaController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'resourcequota',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

class ResourceQuotaController {
  readonly queue;
  readonly informers: readonly InformerHandle[];
  readonly #context: ControllerContext;
  readonly #quotas: InformerHandle<ResourceQuota>;
  readonly #pods: InformerHandle<Pod>;
  readonly #services: InformerHandle<Service>;
  readonly #claims: InformerHandle<PersistentVolumeClaim>;
  /** Watches of the other resources that quotas count, by group, version and name. */
  readonly #others = new Map<string, InformerHandle>();

  constructor(context: ControllerContext) {
    const { informers, clock } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.#quotas = informers.informer(ResourceQuota);
    this.#pods = informers.informer(Pod);
    this.#services = informers.informer(Service);
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.informers = [this.#quotas, this.#pods, this.#services, this.#claims];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#quotas.subscribe(
      (event) => {
        if (event.type === 'deleted') this.#recount('resourcequotas', event.object.metadata.namespace);
        else if (isUncounted(event.object)) this.queue.add(keyOf(event.object));
      },
      { signal },
    );
    this.#pods.subscribe((event) => this.#changed('pods', event), { signal });
    this.#services.subscribe((event) => this.#changed('services', event), { signal });
    this.#claims.subscribe((event) => this.#changed('persistentvolumeclaims', event), { signal });
  }

  #changed(resource: string, event: InformerEvent): void {
    if (event.type === 'added') return; // the server has counted it
    const { namespace } = event.object.metadata;
    if (event.type === 'deleted') this.#recount(resource, namespace);
    else if (this.#isOther(resource, event.previous, event.object)) this.#recount(resource, namespace);
  }

  #isOther(resource: string, before: Counted, after: Counted): boolean {
    const isScoped = resource === 'pods' && isTerminating(before as Pod) !== isTerminating(after as Pod);
    return isScoped || takesOther(resource, before, after, this.#context.clock.now());
  }

  #recount(resource: string, namespace: string | undefined): void {
    for (const quota of this.#quotas.store.list({ namespace })) {
      if (quotaNames(resource, Object.keys(quota.spec?.hard ?? {})).length > 0) this.queue.add(keyOf(quota));
    }
  }

  async sync(key: NamespacedName): Promise<void> {
    const { client, clock, discovery } = this.#context;
    if (this.#quotas.store.get(key) === undefined) return;
    const quota = await client.find(ResourceQuota, key);
    if (quota === undefined) return;
    const names = Object.keys(quota.spec?.hard ?? {});
    const { preferred } = resourcesOf(await discovery.read());
    await this.#release(preferred);
    const limited = preferred.filter((each) => isCountable(each) && quotaNames(resourceNameOf(each), names).length > 0);
    const censuses = await Promise.all(limited.map((each) => this.#census(each, quota.metadata.namespace)));
    const status = statusOf(quota, censuses, clock.now());
    this.queue.addAfter(key, resyncMs);
    if (equalJson(status, quota.status)) return;
    await client.update(ResourceQuota, { ...quota, status }, { subresource: 'status' });
    if (isUncounted(quota)) this.queue.add(key);
  }

  async #census(kind: DiscoveredKind, namespace: string): Promise<Census> {
    const resource = resourceNameOf(kind);
    this.#watch(resource, kind);
    try {
      const { items } = await this.#context.client.list(kind, { namespace });
      return { resource, objects: items };
    } catch (error) {
      if (!isNotFound(error)) throw error; // the definition has gone
      return { resource, objects: [] };
    }
  }

  /** What has gone is counted no more, so that it must be known when something goes. */
  #watch(resource: string, kind: DiscoveredKind): void {
    if (['pods', 'services', 'persistentvolumeclaims', 'resourcequotas'].includes(resource)) return;
    if (this.#others.has(idOf(kind))) return;
    const { informers, signal } = this.#context;
    const handle = informers.informer(kind, { transform: metadataOnly });
    handle.subscribe(
      ({ type, object }) => {
        if (type === 'deleted') this.#recount(resource, object.metadata.namespace);
      },
      { signal },
    );
    this.#others.set(idOf(kind), handle);
  }

  /** Definitions come, change their version and go. */
  async #release(served: readonly DiscoveredKind[]): Promise<void> {
    const ids = new Set(served.map(idOf));
    const gone = [...this.#others].filter(([id]) => !ids.has(id));
    for (const [id] of gone) this.#others.delete(id);
    await Promise.all(gone.map(([, handle]) => handle[Symbol.asyncDispose]()));
  }
}

/** A new quota, or one that limits something else than its status says. */
const isUncounted = ({ spec, status }: ResourceQuota): boolean =>
  status?.used === undefined || !equalJson(spec?.hard ?? {}, status.hard ?? {});

const isCountable = ({ verbs, scope, group, resource }: DiscoveredKind): boolean =>
  scope === 'Namespaced' && verbs.includes('list') && !(resource === 'events' && ['', 'events.k8s.io'].includes(group));
