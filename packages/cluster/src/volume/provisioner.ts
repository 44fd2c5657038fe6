/**
 * The provisioner of simulated volumes: makes a PersistentVolume for each claim of its classes, and takes it away when the
 * claim has let go of it. Nothing is stored anywhere.
 *
 * A cluster without any StorageClass gets one, `standard`, which is the default of claims that name none.
 */
import { createWorkQueue, type EventRecorder, type InformerHandle } from '@keelson/client';
import { isAlreadyExists, isNotFound, keyOf, type NamespacedName } from '@keelson/core';
import { StorageClass } from '@keelson/core/storage/v1';
import { type NewPersistentVolume, PersistentVolume, PersistentVolumeClaim } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { provisionerAnnotation } from './binding.ts';

const simulatedProvisioner = 'simulated-volumes';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';
const classKey = 'standard';

export function startProvisioner(context: ControllerContext): RunningController {
  const provisioner = new Provisioner(context);
  return startLoop(context, {
    name: 'volume-provisioner',
    queue: provisioner.queue,
    informers: provisioner.informers,
    sync: (key) => provisioner.sync(key),
  });
}

class Provisioner {
  /** Claims by namespace and name, volumes by name, and the default class by its own. */
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
    this.#recorder = context.recorder(simulatedProvisioner);
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#volumes = informers.informer(PersistentVolume);
    this.#classes = informers.informer(StorageClass);
    this.#claims.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#volumes.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.queue.add(classKey);
  }

  get informers() {
    return [this.#claims, this.#volumes, this.#classes];
  }

  async sync(key: NamespacedName): Promise<void> {
    if (key === classKey) return this.#offerClass();
    const claim = this.#claims.store.get(key);
    if (claim) await this.#provision(claim);
    const volume = this.#volumes.store.get(key);
    if (volume) await this.#reclaim(volume);
  }

  async #offerClass(): Promise<void> {
    if (this.#classes.store.list().length > 0) return;
    const metadata = { name: classKey, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
    try {
      await this.#context.client.create(StorageClass, { metadata, provisioner: simulatedProvisioner });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const { metadata, spec } = claim;
    if (metadata.annotations?.[provisionerAnnotation] !== simulatedProvisioner || spec.volumeName) return;
    const storageClass = this.#classes.store.get(spec.storageClassName ?? '');
    const volume = storageClass && newVolume(claim, storageClass);
    if (!volume || metadata.deletionTimestamp !== undefined || this.#volumes.store.get(volume.metadata.name)) return;
    const say = (reason: string, message: string) => this.#recorder.event(claim, { type: 'Normal', reason, message });
    say('Provisioning', `External provisioner is provisioning volume for claim "${keyOf(claim)}"`);
    try {
      await this.#context.client.create(PersistentVolume, volume);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    say('ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
  }

  async #reclaim({ metadata, spec, status }: PersistentVolume): Promise<void> {
    const isOurs = metadata.annotations?.[provisionedBy] === simulatedProvisioner;
    const isDone = status.phase === 'Released' && metadata.deletionTimestamp === undefined;
    if (!isOurs || !isDone || spec.persistentVolumeReclaimPolicy !== 'Delete') return;
    try {
      await this.#context.client.delete(PersistentVolume, metadata.name, { preconditions: { uid: metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

type NamedVolume = NewPersistentVolume & { readonly metadata: { readonly name: string } };

function newVolume({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass): NamedVolume {
  const { namespace, uid, resourceVersion } = metadata;
  const name = `pvc-${uid}`;
  const { reclaimPolicy, mountOptions } = storageClass;
  return {
    metadata: { name, annotations: { [provisionedBy]: simulatedProvisioner } },
    spec: {
      accessModes: spec.accessModes,
      capacity: { storage: spec.resources?.requests?.storage ?? '0' },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name: metadata.name,
        uid,
        resourceVersion,
      },
      hostPath: { path: `/simulated/${name}` },
      ...(mountOptions ? { mountOptions } : {}),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: spec.volumeMode,
    },
  };
}
