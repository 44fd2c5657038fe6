/**
 * The garbage collector: what has no owner any more goes, and an owner that waits for its dependents is waited for.
 *
 * Promises: nothing is deleted before the server itself has said that every owner is gone, by uid; a delete names the
 * uid and the state that was judged. Resources are found by discovery, and again whenever a definition changes.
 */
import {
  createWorkQueue,
  type DiscoveredKind,
  type EventRecorder,
  type InformerEvent,
  type InformerHandle,
} from '@keelson/client';
import {
  equalJson,
  isConflict,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type NamespacedName,
  type OwnerReference,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop, TryAgain } from '../control-loop.ts';
import { type Resources, resourcesOf } from '../resources.ts';
import { type Decision, decisionFor, type OwnerState } from './decision.ts';
import { type Effects, foregroundFinalizer, type GraphNode, OwnerGraph, orphanFinalizer } from './graph.ts';
import { type Identity, printIdentity } from './identity.ts';
import { Monitors } from './monitors.ts';

export function startGarbageCollector(context: ControllerContext): RunningController {
  const collector = new GarbageCollector(context);
  const discovering = startLoop(context, {
    name: 'garbage-collector',
    queue: collector.discoveries,
    informers: [collector.definitions],
    sync: () => collector.discover(),
    workers: 1,
  });
  const collecting = startLoop(context, {
    name: 'garbage-collector',
    queue: collector.queue,
    informers: [collector],
    sync: (key) => collector.sync(key),
    workers: 20,
  });
  return {
    synced: collecting.synced,
    stopped: Promise.all([discovering.stopped, collecting.stopped]).then(() => {}),
  };
}

/** Keys of the queue: what is to be done, and the uid of the node. */
const examine = 'examine ';
const orphan = 'orphan ';

class GarbageCollector {
  readonly queue;
  readonly discoveries;
  readonly definitions: InformerHandle<CustomResourceDefinition>;
  /** Settles when the first discovery is done and what it found is watched. */
  readonly synced: Promise<void>;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #graph = new OwnerGraph();
  readonly #monitors: Monitors;
  #resources: Resources | undefined;
  #settleSynced: (() => void) | undefined;

  constructor(context: ControllerContext) {
    const { clock, informers, signal } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.discoveries = createWorkQueue({ clock, maxDelayMs: 30_000 });
    this.#recorder = context.recorder('garbage-collector-controller');
    this.#monitors = new Monitors({
      informers,
      clock,
      signal,
      onEvent: (resource, event) => this.#apply(this.#changed(resource, event)),
    });
    this.synced = new Promise((resolve) => {
      this.#settleSynced = resolve;
    });
    this.definitions = informers.informer(CustomResourceDefinition, { transform: withoutSchemas });
    this.definitions.subscribe(() => this.discoveries.add('resources'), { signal });
    this.discoveries.add('resources');
  }

  async discover(): Promise<void> {
    const resources = resourcesOf(await this.#context.discovery.read());
    this.#resources = resources;
    await this.#monitors.update(resources.preferred);
    await this.#monitors.whenComplete();
    this.#settleSynced?.();
    // A definition may be established a moment before discovery shows it.
    const missing = this.definitions.store.list().find((definition) => !isServed(definition, resources));
    if (missing) throw new TryAgain(`discovery does not show ${missing.metadata.name} yet`);
    if (resources.stale.length > 0) throw new TryAgain(`discovery cannot reach ${resources.stale.join(', ')} now`);
  }

  #changed(resource: DiscoveredKind, event: InformerEvent): Effects {
    const { metadata } = event.object;
    const { namespace = '', name, uid } = metadata;
    const { group, version, kind } = resource;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const identity: Identity = { apiVersion, kind, namespace, name, uid };
    if (event.type === 'deleted') return this.#graph.observeDeleted(identity);
    return this.#graph.observe(identity, metadata, event.type === 'updated' ? event.previous.metadata : undefined);
  }

  #apply({ examine: toExamine, orphan: toOrphan, invalid }: Effects): void {
    for (const uid of toOrphan) this.queue.add(orphan + uid);
    for (const uid of toExamine) this.queue.add(examine + uid);
    for (const { dependent, reference } of invalid) this.#reportInvalid(dependent, reference);
  }

  #reportInvalid({ apiVersion, kind, namespace, name, uid }: Identity, reference: OwnerReference): void {
    const owner = printIdentity({ ...reference, namespace });
    this.#recorder.event(
      { apiVersion, kind, metadata: { name, namespace: namespace === '' ? undefined : namespace, uid } },
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef ${owner} does not exist in namespace "${namespace}"`,
      },
    );
  }

  async sync(key: string): Promise<void> {
    const isOrphaning = key.startsWith(orphan);
    const node = this.#graph.get(key.slice((isOrphaning ? orphan : examine).length));
    if (!node) return;
    if (isOrphaning) await this.#orphanDependents(node);
    else await this.#examine(node);
  }

  async #examine(node: GraphNode): Promise<void> {
    // On its way out, and it does not wait for its dependents: they are looked at when it is gone.
    if (node.isBeingDeleted && !node.isDeletingDependents) return;
    const { identity } = node;
    const ref = this.#refOf(identity, identity.namespace);
    if (!ref) return;
    const latest = await this.#find(ref, identity.uid);
    if (!latest) return this.#confirmAbsent(identity);
    if (node.isDeletingDependents) await this.#awaitDependents(node, ref);
    else await this.#decide(node, ref, latest);
    // It exists but no watch has shown it yet. If it goes before one does, nothing else would notice.
    if (this.#graph.get(identity.uid)?.isVirtual) throw new TryAgain(`${printIdentity(identity)} was not seen yet`);
  }

  #confirmAbsent(identity: Identity): void {
    const effects = this.#graph.confirmAbsent(identity);
    const others = effects.examine.filter((uid) => uid !== identity.uid);
    this.#apply({ ...effects, examine: others });
    // Its dependents know it by other names too. Slowly: they may disagree for as long as they exist.
    if (others.length < effects.examine.length) throw new TryAgain(`${printIdentity(identity)} may have another name`);
  }

  async #awaitDependents({ identity }: GraphNode, ref: ObjectRef): Promise<void> {
    this.#requireComplete();
    const blocking = this.#graph.blockingDependentsOf(identity.uid);
    if (blocking.length === 0) await this.#removeFinalizer(ref, identity.uid, foregroundFinalizer);
    for (const each of blocking) if (!each.isDeletingDependents) this.queue.add(examine + each.identity.uid);
  }

  async #decide({ identity }: GraphNode, ref: ObjectRef, latest: KubernetesObject): Promise<void> {
    const { ownerReferences = [], finalizers = [] } = latest.metadata;
    const owners = [];
    for (const reference of ownerReferences) {
      const state = await this.#stateOf(reference, identity);
      if (!state) return;
      owners.push({ reference, state });
    }
    await this.#carryOut(decisionFor(owners, finalizers, this.#graph.dependentsOf(identity.uid)), ref, latest);
  }

  /** `undefined` for a cluster-scoped object that names a namespaced owner: a mistake that time does not mend. */
  async #stateOf(reference: OwnerReference, dependent: Identity): Promise<OwnerState | undefined> {
    const { namespace } = dependent;
    if (this.#graph.absentOwners.has(reference, namespace)) return 'absent';
    const ref = this.#refOf(reference, namespace);
    if (!ref) return undefined;
    const owner = await this.#find(ref, reference.uid);
    if (!owner) {
      const { apiVersion, kind, name, uid } = reference;
      const ownNamespace = ref.kind.scope === 'Namespaced' ? namespace : '';
      this.#graph.absentOwners.add({ apiVersion, kind, namespace: ownNamespace, name, uid });
      return 'absent';
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer) ? 'waiting' : 'solid';
  }

  async #carryOut(decision: Decision, ref: ObjectRef, latest: KubernetesObject): Promise<void> {
    switch (decision.type) {
      case 'keep':
        return;
      case 'forget owners':
        return this.#setOwners(ref, latest, (owner) => !decision.uids.has(owner.uid));
      case 'delete': {
        const { ownerReferences = [], uid } = latest.metadata;
        if (!decision.unblockOwners) return this.#delete(ref, latest, decision.policy);
        const unblocked = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
        await this.#patch(ref, latest, { ownerReferences: unblocked });
        const next = await this.#find(ref, uid);
        return next && this.#delete(ref, next, decision.policy);
      }
      default:
        return decision satisfies never;
    }
  }

  async #delete(
    ref: ObjectRef,
    { metadata }: KubernetesObject,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<void> {
    const { client } = this.#context;
    const { uid, resourceVersion, ownerReferences } = metadata;
    try {
      await client.delete(ref.kind, ref.key, { preconditions: { uid, resourceVersion }, propagationPolicy });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      // Changes that leave the owners alone, however frequent, must not keep an object alive.
      const live = await this.#find(ref, uid);
      if (!live) return;
      if (!equalJson(live.metadata.ownerReferences, ownerReferences)) throw error;
      await client.delete(ref.kind, ref.key, { preconditions: { uid }, propagationPolicy });
    }
  }

  async #orphanDependents({ identity }: GraphNode): Promise<void> {
    this.#requireComplete();
    for (const dependent of this.#graph.dependentsOf(identity.uid)) {
      const ref = this.#refOf(dependent.identity, dependent.identity.namespace);
      const latest = ref && (await this.#find(ref, dependent.identity.uid));
      if (latest) await this.#setOwners(ref, latest, (owner) => owner.uid !== identity.uid);
    }
    const ref = this.#refOf(identity, identity.namespace);
    if (ref) await this.#removeFinalizer(ref, identity.uid, orphanFinalizer);
  }

  async #setOwners(ref: ObjectRef, latest: KubernetesObject, stays: (owner: OwnerReference) => boolean): Promise<void> {
    const { ownerReferences = [] } = latest.metadata;
    const remaining = ownerReferences.filter(stays);
    if (remaining.length < ownerReferences.length) await this.#patch(ref, latest, { ownerReferences: remaining });
  }

  async #removeFinalizer(ref: ObjectRef, uid: string, finalizer: string): Promise<void> {
    const latest = await this.#find(ref, uid);
    const finalizers = latest?.metadata.finalizers ?? [];
    if (!latest || !finalizers.includes(finalizer)) return;
    await this.#patch(ref, latest, { finalizers: finalizers.filter((each) => each !== finalizer) });
  }

  /** A merge patch, which every resource understands; the resourceVersion makes it fail if anyone wrote meanwhile. */
  async #patch(
    ref: ObjectRef,
    { metadata: { resourceVersion } }: KubernetesObject,
    metadata: { readonly ownerReferences: readonly OwnerReference[] } | { readonly finalizers: readonly string[] },
  ): Promise<void> {
    try {
      await this.#context.client.patch(ref.kind, ref.key, { metadata: { resourceVersion, ...metadata } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The object, if it is the one with this uid. */
  async #find({ kind, key }: ObjectRef, uid: string): Promise<KubernetesObject | undefined> {
    const found = await this.#context.client.find(kind, key);
    return found?.metadata.uid === uid ? found : undefined;
  }

  /** Where an object is found. `undefined`: nowhere, since it would need a namespace and has none. */
  #refOf(object: Pick<Identity, 'apiVersion' | 'kind' | 'name'>, namespace: string): ObjectRef | undefined {
    const kind = this.#resources?.find(object.apiVersion, object.kind);
    if (!kind) {
      this.discoveries.add('resources');
      throw new TryAgain(`the server has no ${object.kind} of ${object.apiVersion}, at least not yet`);
    }
    if (kind.scope === 'Cluster') return { kind, key: object.name };
    return namespace === '' ? undefined : { kind, key: `${namespace}/${object.name}` };
  }

  /** Whoever waits for dependents must not go because they have not been seen yet. */
  #requireComplete(): void {
    if (!this.#monitors.areComplete) throw new TryAgain('not everything has been seen yet');
  }
}

interface ObjectRef {
  readonly kind: Kind;
  readonly key: NamespacedName;
}

function withoutSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map(({ name, served, storage }) => ({ name, served, storage }));
  return { ...definition, spec: { ...definition.spec, versions } };
}

/** One that is not established, or on its way out, need not be shown. */
function isServed({ metadata, spec, status }: CustomResourceDefinition, resources: Resources): boolean {
  const isEstablished = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
  if (!isEstablished || metadata.deletionTimestamp !== undefined) return true;
  return spec.versions.some(
    ({ name, served }) => served && resources.find(`${spec.group}/${name}`, spec.names.kind) !== undefined,
  );
}
