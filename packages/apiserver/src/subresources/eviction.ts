/**
 * POST of an eviction: a pod is deleted, unless its disruption budget cannot spare it now.
 *
 * The budget is asked by its status, which a controller keeps, and is told of the pod before the pod goes, so that two
 * evictions at the same time do not both take what one may have.
 */
import { matchesLabels, requirementsOf, setCondition, timestamp } from '@keelson/core';
import type { PodDisruptionBudget } from '@keelson/core/policy/v1';
import type { Pod } from '@keelson/core/v1';
import { admit } from '../admit/admission.ts';
import { admitPosted } from '../admit/admit-posted.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { deleteOptions, writeOptions } from '../decode/options.ts';
import { negotiate } from '../encode/negotiate.ts';
import { type ApiObject, at, isObject, type JsonObject, put, readAs } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import type { Preconditions, Write } from '../resource/write.ts';
import { badRequest, forbidden, notFound, StatusError } from '../status.ts';
import type { Revision } from '../store/revision.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { deleteNow } from '../write/delete.ts';
import { inNamespace } from '../write/metadata.ts';
import { assertPreconditions } from '../write/optimistic-lock.ts';
import { updateOwnStatus } from '../write/own-status-update.ts';
import { withBodyKind } from './body-kind.ts';

const pods = { group: '', name: 'pods' };
const body = { group: 'policy', version: 'v1', kind: 'Eviction', schema: 'io.k8s.api.policy.v1.Eviction' };

function evictionResource(resource: Resource): Resource {
  const evictions = withBodyKind(resource, body);
  return { ...evictions, strategy: { ...evictions.strategy, olderVersions: ['policy/v1beta1'] } };
}

export async function evict(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name, warnings } = call;
  negotiate(request.headers.accept);
  const asEviction = evictionResource(resource);
  assertReadableBody(request, asEviction);
  const options = writeOptions(request.query, 'CreateOptions');
  const decoded = await decodeBody(request, asEviction, options.fieldValidation);
  warnings.push(...decoded.warnings);
  const sentEviction = inNamespace(decoded.object, namespace);
  if (sentEviction.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const write = writeOf(call, options);
  admit(context, write, 'CREATE', sentEviction);
  const eviction = await admitPosted(context, write, sentEviction);

  const sent = isObject(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const deletion: Deletion = {
    ...sent,
    dryRun: Array.isArray(sent.dryRun) && sent.dryRun.length > 0 ? sent.dryRun : options.dryRun ? ['All'] : [],
  };
  const collection = context.store.collection('pods');
  const existing = collection.get(keyIn(namespace, name));
  if (existing === undefined) throw notFound(pods, name);
  const pod = readAs<Pod>(existing.object);
  if (!isUnguarded(pod)) askBudget(context, pod, deletion.dryRun.length > 0);
  removeEvicted(context, { ...write, dryRun: deletion.dryRun.length > 0 }, existing, deletion);
  return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

/** The options of the deletion as they were sent; whether they make sense is found out when it is tried. */
interface Deletion extends JsonObject {
  readonly dryRun: readonly unknown[];
}

/** Whether it disrupts nothing to take this pod away: it does not run yet, or no longer, or goes anyway. */
function isUnguarded({ metadata, status }: Pod): boolean {
  return ['Pending', 'Succeeded', 'Failed'].includes(status?.phase ?? '') || metadata.deletionTimestamp !== undefined;
}

function askBudget(context: Context, pod: Pod, isDry: boolean): void {
  const [budget, ...others] = budgetsOf(context, pod);
  if (budget === undefined) return;
  if (others.length > 0) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, '', why);
  }
  if (!isReady(pod) && sparesUnready(budget)) return;
  assertSpare(budget);
  if (isDry) return;
  const { name = '', namespace = '' } = budget.metadata;
  const left = (budget.status?.disruptionsAllowed ?? 0) - 1;
  const now = context.clock.now();
  const budgets = context.registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (budgets === undefined) throw new Error('disruption budgets are not served');
  updateOwnStatus(context, budgets, namespace, name, (old) => {
    const counted = put(put(old, ['status', 'disruptionsAllowed'], left), ['status', 'disruptedPods'], {
      ...budget.status?.disruptedPods,
      [pod.metadata.name ?? '']: timestamp(now),
    });
    if (left > 0) return counted;
    const none = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' } as const;
    const generation = budget.status?.observedGeneration;
    const conditions = setCondition(budget.status?.conditions ?? [], none, { generation, wallMs: now });
    return put(counted, ['status', 'conditions'], conditions);
  });
}

function* budgetsOf({ objects }: Context, { metadata }: Pod): Generator<PodDisruptionBudget, void> {
  for (const object of objects.list('poddisruptionbudgets.policy')) {
    const budget = readAs<PodDisruptionBudget>(object);
    const { selector } = budget.spec ?? {};
    if (selector == null || budget.metadata.namespace !== metadata.namespace) continue;
    if (matchesLabels(requirementsOf(selector), metadata.labels)) yield budget;
  }
}

const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** A pod that is not ready counts for nothing; it may go if the others are enough, or if the budget does not care. */
function sparesUnready({ spec, status }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

/** More than these, and the controller has obviously not noticed. */
const maxDisruptedPods = 2000;

function assertSpare({ metadata, status }: PodDisruptionBudget): void {
  const { name = '', generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status ?? {};
  if (observedGeneration < generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const named = { group: 'policy', name: 'poddisruptionbudget' };
  if (disruptionsAllowed < 0) throw forbidden(named, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(named, name, why);
  }
  if (disruptionsAllowed === 0) throw refusal(whyNot(name, status ?? {}));
}

function whyNot(name: string, status: Partial<NonNullable<PodDisruptionBudget['status']>>): string {
  const { conditions = [], currentHealthy = 0, desiredHealthy = 0 } = status;
  const said = conditions.find(
    ({ type, status: is, message }) => type === 'DisruptionAllowed' && is === 'False' && message,
  );
  if (said?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${said.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const reason = said === undefined ? '' : ` (${said.reason}): ${said.message}`;
  return `The disruption budget ${name} does not allow evicting pods currently${reason}`;
}

/** Only where waiting helps is a time given: a client that sees one tries again by itself. */
function refusal(message: string, retryAfterSeconds?: number): StatusError {
  const what = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new StatusError(429, 'TooManyRequests', what, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Writes on the pod why it goes, and deletes it. */
function removeEvicted(context: Context, write: Write, existing: Revision, deletion: Deletion): void {
  const { store } = context;
  const { resource } = write;
  const options = () => deleteOptions(new URLSearchParams(), deletion);
  if (write.dryRun) {
    deleteNow(context, write, existing, options());
    return;
  }
  const preconditions = (isObject(deletion.preconditions) ? deletion.preconditions : {}) as Preconditions;
  assertPreconditions(resource, existing.object, preconditions);
  const marked = store.update(store.collection('pods'), existing, withReason(existing.object, context.clock.now()));
  const checked = options();
  deleteNow(context, write, marked, { ...checked, preconditions: { uid: checked.preconditions.uid } });
}

function withReason(pod: ApiObject, now: number): ApiObject {
  const conditions = (at(pod, 'status', 'conditions') ?? []) as readonly JsonObject[];
  const previous = conditions.find(({ type }) => type === 'DisruptionTarget');
  const reason = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: previous?.status === 'True' ? previous.lastTransitionTime : timestamp(now),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const next = previous ? conditions.map((each) => (each === previous ? reason : each)) : [...conditions, reason];
  return put(pod, ['status', 'conditions'], next);
}
