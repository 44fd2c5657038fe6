/**
 * The binder of volumes: gives each claim a volume that will do, asks for one to be made where its class says by whom, and
 * keeps the phases of both.
 *
 * Does not: make or delete volumes (the provisioner of the class does, provisioner.ts), resize or recycle them.
 */
import { createWorkQueue, type EventRecorder, type InformerHandle } from '@keelson/client';
import { equalJson, keyOf, type NamespacedName } from '@keelson/core';
import { StorageClass } from '@keelson/core/storage/v1';
import { PersistentVolume, PersistentVolumeClaim } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import {
  belongsTo,
  boundClaim,
  boundStatus,
  boundVolume,
  isBound,
  mismatchOf,
  volumeFor,
  waitsForPod,
  withProvisioner,
} from './binding.ts';

/** By class, those that wait for a volume; by the volume, those that ask for it by name. */
const claimIndexes = {
  waiting: (claim: PersistentVolumeClaim): readonly string[] =>
    isBound(claim) ? [] : [claim.spec.storageClassName ?? ''],
  asking: ({ spec }: PersistentVolumeClaim): readonly string[] => (spec.volumeName ? [spec.volumeName] : []),
};
/** By class, those that nobody has; by the claim, those that it has, or that are reserved for it. */
const volumeIndexes = {
  free: ({ spec }: PersistentVolume): readonly string[] => (spec.claimRef ? [] : [spec.storageClassName ?? '']),
  claim: ({ spec: { claimRef } }: PersistentVolume): readonly string[] =>
    claimRef ? [`${claimRef.namespace}/${claimRef.name}`] : [],
};

export function startVolumeBinder(context: ControllerContext): RunningController {
  const binder = new VolumeBinder(context);
  return startLoop(context, {
    name: 'persistentvolume-binder',
    queue: binder.queue,
    informers: binder.informers,
    sync: (key) => binder.sync(key),
    workers: 1, // a volume is given to one claim
  });
}

class VolumeBinder {
  /** Claims by namespace and name, volumes by name alone. */
  readonly queue;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #claims: InformerHandle<PersistentVolumeClaim>;
  readonly #volumes: InformerHandle<PersistentVolume>;
  readonly #classes: InformerHandle<StorageClass>;

  constructor(context: ControllerContext) {
    const { informers, clock, signal } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.#recorder = context.recorder('persistentvolume-controller');
    this.#claims = informers.informer(PersistentVolumeClaim, { indexes: claimIndexes });
    this.#volumes = informers.informer(PersistentVolume, { indexes: volumeIndexes });
    this.#classes = informers.informer(StorageClass);
    this.#claims.subscribe(
      ({ type, object }) => {
        this.queue.add(keyOf(object));
        if (type === 'deleted' && object.spec.volumeName) this.queue.add(object.spec.volumeName);
      },
      { signal },
    );
    this.#volumes.subscribe(
      ({ object }) => {
        this.queue.add(keyOf(object));
        const { claimRef, storageClassName = '' } = object.spec;
        if (claimRef) this.queue.add(`${claimRef.namespace}/${claimRef.name}`);
        else
          this.#retry([
            ...this.#waitingFor(storageClassName),
            ...this.#claims.store.byIndex('asking', object.metadata.name),
          ]);
      },
      { signal },
    );
    this.#classes.subscribe(({ object }) => this.#retry(this.#waitingFor(object.metadata.name)), { signal });
  }

  get informers() {
    return [this.#claims, this.#volumes, this.#classes];
  }

  /** A volume or a class that came may be the one that claims wait for; a volume that went is missed by its claim. */
  #retry(claims: readonly PersistentVolumeClaim[]): void {
    for (const claim of claims) this.queue.add(keyOf(claim));
  }

  #waitingFor(storageClass: string): readonly PersistentVolumeClaim[] {
    return this.#claims.store.byIndex('waiting', storageClass);
  }

  async sync(key: NamespacedName): Promise<void> {
    if (!key.includes('/')) return this.#syncVolume(key);
    const claim = this.#claims.store.get(key);
    if (!claim) return;
    if (isBound(claim)) await this.#syncBound(claim);
    else await this.#syncUnbound(claim);
  }

  async #syncBound(claim: PersistentVolumeClaim): Promise<void> {
    const volume = this.#volumes.store.get(claim.spec.volumeName ?? '');
    const lost = 'Data on the volume is lost!';
    if (!claim.spec.volumeName) {
      await this.#lose(claim, 'ClaimLost', `Bound claim has lost reference to PersistentVolume. ${lost}`);
    } else if (!volume) {
      await this.#lose(claim, 'ClaimLost', `Bound claim has lost its PersistentVolume. ${lost}`);
    } else if (volume.spec.claimRef && volume.spec.claimRef.uid !== claim.metadata.uid) {
      const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
      await this.#lose(claim, 'ClaimMisbound', message);
    } else await this.#bind(volume, claim);
  }

  async #syncUnbound(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName, storageClassName } = claim.spec;
    if (volumeName) return this.#bindRequested(claim, volumeName);
    const storageClass = this.#classes.store.get(storageClassName ?? '');
    const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const { store } = this.#volumes;
    const candidates = [...store.byIndex('claim', keyOf(claim)), ...store.byIndex('free', storageClassName ?? '')];
    const volume = volumeFor(claim, candidates, isDelayed);
    if (volume) await this.#bind(volume, claim);
    else if (waitsForPod(claim, storageClass)) {
      this.#say(claim, 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
    } else if (storageClassName) await this.#requestVolume(claim, storageClassName, storageClass);
    else {
      const message = 'no persistent volumes available for this claim and no storage class is set';
      this.#say(claim, 'FailedBinding', message);
    }
  }

  async #bindRequested(claim: PersistentVolumeClaim, name: string): Promise<void> {
    const volume = this.#volumes.store.get(name);
    if (!volume) return;
    if (volume.spec.claimRef && !belongsTo(volume, claim)) {
      this.#say(claim, 'FailedBinding', `volume "${name}" already bound to a different claim.`, 'Warning');
      return;
    }
    const mismatch = volume.spec.claimRef ? undefined : this.#mismatch(volume, claim);
    if (mismatch === undefined) return this.#bind(volume, claim);
    this.#say(claim, 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${mismatch}`, 'Warning');
  }

  #mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
    const isOther = (volume.spec.storageClassName ?? '') !== (claim.spec.storageClassName ?? '');
    return mismatchOf(volume, claim) ?? (isOther ? 'storageClassName does not match' : undefined);
  }

  async #requestVolume(
    claim: PersistentVolumeClaim,
    className: string,
    storageClass: StorageClass | undefined,
  ): Promise<void> {
    if (!storageClass) {
      const message = `storageclass.storage.k8s.io "${className}" not found`;
      this.#say(claim, 'ProvisioningFailed', message, 'Warning');
      return;
    }
    const { provisioner } = storageClass;
    const change = withProvisioner(claim, provisioner);
    if (change) await this.#context.client.update(PersistentVolumeClaim, change);
    this.#say(
      claim,
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  }

  /** The volume first: one that is reserved twice would be worse than a claim that waits. */
  async #bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const { client } = this.#context;
    const reserved = boundVolume(volume, claim);
    const bound = reserved ? await client.update(PersistentVolume, reserved) : volume;
    await this.#setPhase(bound, 'Bound');
    const named = boundClaim(claim, volume);
    const current = named ? await client.update(PersistentVolumeClaim, named) : claim;
    await this.#writeStatus(current, boundStatus(current, volume));
  }

  async #lose(claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
    if (claim.status.phase === 'Lost') return;
    await this.#writeStatus(claim, { ...claim.status, phase: 'Lost' });
    this.#say(claim, reason, message, 'Warning');
  }

  async #syncVolume(name: string): Promise<void> {
    const volume = this.#volumes.store.get(name);
    if (!volume) return;
    const { claimRef } = volume.spec;
    if (!claimRef?.uid) return this.#setPhase(volume, 'Available');
    const claim = this.#claims.store.get(`${claimRef.namespace}/${claimRef.name}`);
    const isReleased = claim?.metadata.uid !== claimRef.uid;
    if (isReleased) await this.#setPhase(volume, 'Released');
    else if (claim) this.queue.add(keyOf(claim));
  }

  async #setPhase(volume: PersistentVolume, phase: 'Available' | 'Bound' | 'Released'): Promise<void> {
    if (volume.status.phase === phase) return;
    const next = { ...volume, status: { ...volume.status, phase } };
    await this.#context.client.update(PersistentVolume, next, { subresource: 'status' });
  }

  async #writeStatus(claim: PersistentVolumeClaim, status: PersistentVolumeClaim['status']): Promise<void> {
    if (equalJson(status, claim.status)) return;
    await this.#context.client.update(PersistentVolumeClaim, { ...claim, status }, { subresource: 'status' });
  }

  #say(claim: PersistentVolumeClaim, reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    this.#recorder.event(claim, { type, reason, message });
  }
}
