/** How a StatefulSet makes, repairs and deletes its pods and their claims, and what it says about it. */
import type { Client, EventRecorder, StoreReader } from '@keelson/client';
import { isAlreadyExists, isNotFound, keyOf } from '@keelson/core';
import type { ControllerRevision, StatefulSet } from '@keelson/core/apps/v1';
import { PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import { reasonOf } from '../error-reason.ts';
import { type Claimant, isContested, isStale, ownersDue } from './claim-owners.ts';
import { claimNames, newClaims, newPod, repaired } from './new-pod.ts';
import { ordinalOf, podName } from './ordinals.ts';

type Verb = 'Create' | 'Update' | 'Delete';

const claimant = (pod: Pod): Claimant => ({
  name: pod.metadata.name,
  uid: pod.metadata.uid,
  ordinal: ordinalOf(pod),
});

export class StatefulPodControl {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  readonly #claims: StoreReader<PersistentVolumeClaim>;

  constructor(client: Client, recorder: EventRecorder, claims: StoreReader<PersistentVolumeClaim>) {
    this.#client = client;
    this.#recorder = recorder;
    this.#claims = claims;
  }

  /** A claim of an earlier pod is still there, and must go before there is a new one. */
  isHeldBack(set: StatefulSet, ordinal: number): boolean {
    const pod = { name: podName(set, ordinal), uid: undefined, ordinal };
    return this.#existing(set, ordinal).some((claim) => isStale(set, pod, claim));
  }

  async create(set: StatefulSet, revision: ControllerRevision, ordinal: number): Promise<void> {
    const pod = newPod(set, revision, ordinal);
    const { name } = pod.metadata;
    await this.#saying(set, name, 'Create', () => this.#makeClaims(set, name, ordinal));
    try {
      await this.#client.create(Pod, pod);
    } catch (error) {
      if (!isAlreadyExists(error)) this.#say(set, name, 'Create', error);
      throw error;
    }
    await this.#saying(set, name, 'Update', () => this.#settleOwners(set, { name, uid: undefined, ordinal }));
    this.#say(set, name, 'Create');
  }

  /** Makes the claims that are missing, where that is asked for, and puts their owners right. */
  async keepClaims(set: StatefulSet, pod: Pod, missing: boolean): Promise<void> {
    const { name } = pod.metadata;
    if (missing) await this.#makeClaims(set, name, ordinalOf(pod));
    await this.#saying(set, name, 'Update', () => this.#settleOwners(set, claimant(pod)));
  }

  async repair(set: StatefulSet, pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    const changed = repaired(set, pod);
    const isOwned = this.#existing(set, ordinalOf(pod)).every(
      (claim) => ownersDue(set, claimant(pod), claim) === undefined,
    );
    if (!changed && isOwned) return;
    await this.#saying(set, name, 'Update', async () => {
      if (changed) await this.#makeClaims(set, name, ordinalOf(pod));
      await this.#settleOwners(set, claimant(pod));
      if (changed) await this.#client.update(Pod, changed);
    });
    this.#say(set, name, 'Update');
  }

  async delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    await this.#saying(set, name, 'Delete', async () => {
      try {
        await this.#client.delete(Pod, keyOf(pod));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
    this.#say(set, name, 'Delete');
  }

  #existing(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
    return claimNames(set, ordinal).flatMap((name) => this.#claims.get(`${set.metadata.namespace}/${name}`) ?? []);
  }

  async #makeClaims(set: StatefulSet, pod: string, ordinal: number): Promise<void> {
    const failures: string[] = [];
    let cause: unknown;
    for (const claim of newClaims(set, ordinal)) {
      const { name } = claim.metadata;
      const existing = this.#claims.get(`${set.metadata.namespace}/${name}`);
      if (existing?.metadata.deletionTimestamp !== undefined) failures.push(`pvc ${name} is being deleted`);
      if (existing) continue;
      try {
        await this.#client.create(PersistentVolumeClaim, claim);
        this.#record(
          set,
          'Create',
          undefined,
          `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
        );
      } catch (error) {
        cause = error;
        failures.push(`failed to create PVC ${name}: ${reasonOf(error)}`);
        if (isAlreadyExists(error)) continue;
        const what = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name}`;
        this.#record(set, 'Create', error, `${what} failed error: ${reasonOf(error)}`);
      }
    }
    if (failures.length > 0) {
      throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`, { cause });
    }
  }

  async #settleOwners(set: StatefulSet, pod: Claimant): Promise<void> {
    for (const claim of this.#existing(set, pod.ordinal)) {
      const { name } = claim.metadata;
      if (isContested(set, pod, claim)) {
        this.#recorder.event(set, {
          type: 'Warning',
          reason: 'ConflictingController',
          message: `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
        });
      }
      const ownerReferences = ownersDue(set, pod, claim);
      if (!ownerReferences) continue;
      try {
        await this.#client.update(PersistentVolumeClaim, {
          ...claim,
          metadata: { ...claim.metadata, ownerReferences },
        });
      } catch (error) {
        const message = `could not update claim ${name} for delete policy ownerRefs: ${reasonOf(error)}`;
        throw new Error(message, { cause: error });
      }
    }
  }

  async #saying(set: StatefulSet, pod: string, verb: Verb, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#say(set, pod, verb, error);
      throw error;
    }
  }

  #say(set: StatefulSet, pod: string, verb: Verb, error?: unknown): void {
    const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    this.#record(
      set,
      verb,
      error,
      error === undefined ? `${what} successful` : `${what} failed error: ${reasonOf(error)}`,
    );
  }

  #record(set: StatefulSet, verb: Verb, error: unknown, message: string): void {
    const [type, outcome] =
      error === undefined ? (['Normal', 'Successful'] as const) : (['Warning', 'Failed'] as const);
    this.#recorder.event(set, { type, reason: `${outcome}${verb}`, message });
  }
}
