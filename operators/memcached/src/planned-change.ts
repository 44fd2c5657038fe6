/**
 * What the next apply changes about a running Memcached, and whether it may: pure, from the custom resource and what runs.
 *
 * It is told in the status before it is done. A change that restarts servers waits under `updatePolicy: Manual` until an
 * annotation names its revision; all else about the workload goes on meanwhile, with the template that was let through.
 */
import type { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import type { PodDisruptionBudget } from '@keelson/core/policy/v1';
import type { PodTemplateSpec } from '@keelson/core/v1';
import type { Memcached } from './api/memcached.ts';
import { appliedTemplate, revisionOf, rollingFields } from './change.ts';
import { desiredPodDisruptionBudget, desiredTemplate } from './desired.ts';

/** As which the operator applies, and by whose name its fields are known. */
export const manager = 'memcached-operator';

/** Whoever sets it to a revision lets that one replace servers. */
export const approval = 'cache.example.com/approved-revision';

export type Change = NonNullable<NonNullable<Memcached['status']>['change']>;

export interface PlannedChange {
  /** What to say about it; nothing if nothing changes. */
  readonly change: Change | undefined;
  /** What to apply: what is asked for, or what was let through before. */
  readonly template: PodTemplateSpec;
  readonly changesTemplate: boolean;
}

export interface Running {
  readonly workload: Deployment | StatefulSet | undefined;
  readonly budget?: PodDisruptionBudget | undefined;
}

/** Of a workload that is not there yet, nothing changes. */
export function plannedChange(memcached: Memcached, running: Running): PlannedChange {
  const { workload } = running;
  const template = desiredTemplate(memcached);
  if (workload === undefined) return { change: undefined, template, changesTemplate: true };
  const revision = revisionOf(template);
  const applied = appliedTemplate(workload, manager);
  const fields = applied && rollingFields(applied, template);
  if (applied === undefined || fields === undefined) {
    const change = changeUnderWay(memcached, workload, revision) ?? liveChange(memcached, running, revision);
    return { change, template, changesTemplate: false };
  }
  const isHeld = memcached.spec.updatePolicy === 'Manual' && memcached.metadata.annotations?.[approval] !== revision;
  const change: Change = { class: 'Roll', fields, reason: reasonOf(fields), revision, ...(isHeld && { held: true }) };
  return { change, template: isHeld ? applied : template, changesTemplate: !isHeld };
}

/** What lets a held change go, for a person to type. */
export const approvalCommand = ({ metadata }: Memcached, { revision }: Change): string =>
  `kubectl annotate memcached ${metadata.name} --namespace ${metadata.namespace} --overwrite ${approval}=${revision}`;

const cost = 'servers are replaced one after another, and each starts empty.';

const reasonOf = (fields: readonly string[]): string =>
  fields.length > 0
    ? `The pods change with these fields: ${cost}`
    : `The pods are to be as the operator describes them, though no field of spec has changed: ${cost}`;

/** With what went wrong last, in place of what did before: a rollout of many servers must not fill the status. */
export function withRemark(change: Change, remark: string): Change {
  const [why = ''] = change.reason.split(cost, 1);
  return { ...change, reason: `${why}${cost} ${remark}` };
}

/** Said until every pod has the template. One that began without us, such as a restart by hand, has no field to name. */
function changeUnderWay(
  { status }: Memcached,
  { metadata, status: seen }: Deployment | StatefulSet,
  revision: string,
): Change | undefined {
  const { replicas = 0, updatedReplicas = 0, observedGeneration = 0 } = seen;
  const isObserved = observedGeneration >= (metadata.generation ?? 0);
  const previous = status?.change?.class === 'Roll' && status.change.revision === revision ? status.change : undefined;
  if (isObserved && updatedReplicas >= replicas) return undefined;
  if (previous !== undefined) {
    const { held: _, ...change } = previous;
    return change;
  }
  if (!isObserved) return undefined;
  const reason = `Another hand has changed the pods: ${cost}`;
  return { class: 'Roll', fields: [], reason, revision };
}

/** What the user has changed that no server notices. What another hand has changed is put right without a word. */
function liveChange(memcached: Memcached, { workload, budget }: Running, revision: string): Change | undefined {
  const { metadata, spec, status } = memcached;
  if (workload === undefined || status?.observedGeneration === metadata.generation) return undefined;
  const fields = [
    ['spec.size', workload.spec.replicas ?? 1, spec.size],
    ['spec.rollout.minReadySeconds', workload.spec.minReadySeconds ?? 0, spec.rollout?.minReadySeconds ?? 0],
    [
      'spec.availability.maxUnavailable',
      budget?.spec?.maxUnavailable,
      budget && desiredPodDisruptionBudget(memcached).spec?.maxUnavailable,
    ],
  ].flatMap(([field, before, after]) => (before === after ? [] : [String(field)]));
  if (fields.length === 0) return undefined;
  return { class: 'Live', fields, reason: 'No server that stays is restarted.', revision };
}
