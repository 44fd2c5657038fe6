/**
 * Protection of storage that is in use: a deleted claim stays while pods use it, a deleted volume while it is bound. The
 * API server gives both a finalizer; this takes it away in time.
 */
import { createWorkQueue, type InformerHandle } from '@keelson/client';
import { type KubernetesObject, keyOf, type NamespacedName } from '@keelson/core';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';

const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';

export function startVolumeProtection(context: ControllerContext): RunningController {
  const protection = new VolumeProtection(context);
  return startLoop(context, {
    name: 'volume-protection',
    queue: protection.queue,
    informers: protection.informers,
    sync: (key) => protection.sync(key),
  });
}

/** By the claims that they use, under the claims' keys. */
export const claimIndex = {
  claim: ({ metadata, spec }: Pod): readonly string[] =>
    claimsOf(spec, metadata.name).map((name) => `${metadata.namespace}/${name}`),
};

/** The names of the claims that a pod uses, those that are made for its ephemeral volumes included. */
export function claimsOf({ volumes = [] }: Pod['spec'], podName: string): readonly string[] {
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    ephemeral ? `${podName}-${name}` : (persistentVolumeClaim?.claimName ?? []),
  );
}

class VolumeProtection {
  /** Claims by namespace and name, volumes by name alone. */
  readonly queue;
  readonly #context: ControllerContext;
  readonly #pods: InformerHandle<Pod>;
  readonly #claims: InformerHandle<PersistentVolumeClaim>;
  readonly #volumes: InformerHandle<PersistentVolume>;

  constructor(context: ControllerContext) {
    const { informers, clock, signal } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.#pods = informers.informer(Pod, { indexes: claimIndex });
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#volumes = informers.informer(PersistentVolume);
    this.#claims.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#volumes.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#pods.subscribe(
      ({ type, object }) => {
        if (type === 'deleted' || hasEnded(object)) for (const key of claimIndex.claim(object)) this.queue.add(key);
      },
      { signal },
    );
  }

  get informers() {
    return [this.#pods, this.#claims, this.#volumes];
  }

  async sync(key: NamespacedName): Promise<void> {
    const claim = this.#claims.store.get(key);
    if (claim && isDue(claim, claimFinalizer) && !this.#isUsed(key)) {
      await this.#context.client.update(PersistentVolumeClaim, released(claim, claimFinalizer));
    }
    const volume = this.#volumes.store.get(key);
    if (volume && isDue(volume, volumeFinalizer) && volume.status.phase !== 'Bound') {
      await this.#context.client.update(PersistentVolume, released(volume, volumeFinalizer));
    }
  }

  #isUsed(key: NamespacedName): boolean {
    return this.#pods.store.byIndex('claim', key).some((pod) => pod.spec.nodeName && !hasEnded(pod));
  }
}

const hasEnded = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

const isDue = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);

const released = <T extends KubernetesObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata.finalizers?.filter((each) => each !== finalizer) },
});
