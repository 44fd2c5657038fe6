/**
 * The HorizontalPodAutoscaler controller: every fifteen seconds it looks at what the pods of a target use, and changes
 * the target's scale.
 *
 * Forgets, when it stops, what it wanted before: windows and rates begin anew, as with the real one.
 */
import { createWorkQueue, type DiscoveredKind, type EventRecorder, type InformerHandle } from '@keelson/client';
import {
  equalJson,
  isConflict,
  keyOf,
  matchesLabels,
  type NamespacedName,
  parseLabelSelector,
  parseQuantity,
  quantityToNumber,
  timestamp,
} from '@keelson/core';
import type { Scale } from '@keelson/core/autoscaling/v1';
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  type HPAScalingRules,
  type MetricStatus,
} from '@keelson/core/autoscaling/v2';
import { Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { resourcesOf } from '../resources.ts';
import { MetricFailure, type Proposal, proposalOf } from './metrics.ts';
import { noPast, normalised, type Past, remembered } from './normalise.ts';
import type { Tolerances } from './replica-count.ts';

const periodMs = 15_000;
const maxConflicts = 5;

export function startAutoscaler(context: ControllerContext): RunningController {
  const controller = new Autoscaler(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'horizontal-pod-autoscaler',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

type Conditions = NonNullable<HorizontalPodAutoscalerStatus['conditions']>;

/** A status in the making. */
class Draft {
  conditions: Conditions;
  desiredReplicas: number;
  currentReplicas: number;
  currentMetrics: readonly MetricStatus[] | null;
  lastScaleTime: string | undefined;
  readonly #now: string;

  constructor({ status }: HorizontalPodAutoscaler, now: number) {
    this.#now = timestamp(now);
    this.conditions = status?.conditions ?? [];
    this.desiredReplicas = status?.desiredReplicas ?? 0;
    this.currentReplicas = status?.currentReplicas ?? 0;
    this.currentMetrics = status?.currentMetrics ?? null;
    this.lastScaleTime = status?.lastScaleTime;
  }

  condition(
    type: string,
    isTrue: boolean,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): void {
    const status = isTrue ? 'True' : 'False';
    const old = this.conditions.find((each) => each.type === type);
    const since = old?.status === status ? old.lastTransitionTime : this.#now;
    const condition = { type, status, lastTransitionTime: since, reason, message } as Conditions[number];
    this.conditions =
      old === undefined
        ? [...this.conditions, condition]
        : this.conditions.map((each) => (each === old ? condition : each));
  }

  rescaled(): void {
    this.lastScaleTime = this.#now;
  }

  status({ status }: HorizontalPodAutoscaler): HorizontalPodAutoscalerStatus {
    return {
      ...(status?.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
      ...(this.lastScaleTime !== undefined && { lastScaleTime: this.lastScaleTime }),
      ...(this.currentReplicas !== 0 && { currentReplicas: this.currentReplicas }),
      desiredReplicas: this.desiredReplicas,
      currentMetrics: this.currentMetrics,
      ...(this.conditions.length > 0 && { conditions: this.conditions }),
    };
  }
}

const toleranceOf = (rules: HPAScalingRules | undefined): number =>
  rules?.tolerance === undefined ? 0.1 : quantityToNumber(parseQuantity(rules.tolerance));

class Autoscaler {
  readonly queue;
  readonly informers: readonly InformerHandle[];
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #autoscalers: InformerHandle<HorizontalPodAutoscaler>;
  readonly #pods: InformerHandle<Pod>;
  /** By uid: another autoscaler of the same name has another past. */
  readonly #past = new Map<string, Past>();
  /** By which labels each autoscaler, by uid, found its pods last. */
  readonly #selectors = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock });
    this.#recorder = context.recorder('horizontal-pod-autoscaler');
    this.#autoscalers = context.informers.informer(HorizontalPodAutoscaler);
    this.#pods = context.informers.informer(Pod);
    this.informers = [this.#autoscalers, this.#pods];
  }

  subscribe(): void {
    this.#autoscalers.subscribe(
      (event) => {
        if (event.type === 'deleted') this.#forget(event.object);
        else if (event.type === 'added' || !equalJson(event.previous.spec, event.object.spec))
          this.queue.add(keyOf(event.object));
      },
      { signal: this.#context.signal },
    );
  }

  async sync(key: NamespacedName): Promise<void> {
    const autoscaler = this.#autoscalers.store.get(key);
    if (autoscaler === undefined) return;
    this.queue.addAfter(key, periodMs);
    const draft = new Draft(autoscaler, this.#context.clock.now());
    await this.#reconcile(autoscaler, draft);
    // One that went meanwhile was forgotten too early.
    if (this.#autoscalers.store.get(key)?.metadata.uid !== autoscaler.metadata.uid) {
      this.#forget(autoscaler);
      return;
    }
    const status = draft.status(autoscaler);
    if (equalJson(status, autoscaler.status)) return;
    await this.#context.client.update(HorizontalPodAutoscaler, { ...autoscaler, status }, { subresource: 'status' });
  }

  #forget({ metadata }: HorizontalPodAutoscaler): void {
    this.#past.delete(metadata.uid);
    this.#selectors.delete(metadata.uid);
  }

  #warn(autoscaler: HorizontalPodAutoscaler, reason: string, message: string): void {
    this.#recorder.event(autoscaler, { type: 'Warning', reason, message });
  }

  async #target({ spec, metadata }: HorizontalPodAutoscaler): Promise<{ kind: DiscoveredKind; scale: Scale }> {
    const { apiVersion = '', kind, name } = spec.scaleTargetRef;
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const { preferred } = resourcesOf(await this.#context.discovery.read());
    const found = preferred.find((each) => each.kind === kind && each.group === group);
    if (found === undefined)
      throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
    const target = await this.#context.client.get(found, `${metadata.namespace}/${name}`, { subresource: 'scale' });
    return { kind: found, scale: target as unknown as Scale };
  }

  async #reconcile(autoscaler: HorizontalPodAutoscaler, draft: Draft): Promise<void> {
    let target: { kind: DiscoveredKind; scale: Scale };
    try {
      target = await this.#target(autoscaler);
    } catch (error) {
      const why = reasonOf(error);
      this.#warn(autoscaler, 'FailedGetScale', why);
      const message = `the HPA controller was unable to get the target's current scale: ${why}`;
      draft.condition('AbleToScale', false, { reason: 'FailedGetScale', message });
      return;
    }
    const message = "the HPA controller was able to get the target's current scale";
    draft.condition('AbleToScale', true, { reason: 'SucceededGetScale', message });
    const now = this.#context.clock.now();
    const current = target.scale.spec?.replicas ?? 0;
    const { uid } = autoscaler.metadata;
    if (!this.#past.has(uid)) this.#past.set(uid, remembered(noPast, now, { wanted: current }));
    const decision = await this.#decide(autoscaler, draft, target.scale, current);
    if (decision === undefined) return;
    const { replicas, reason, metrics } = decision;
    draft.currentReplicas = current;
    draft.currentMetrics = metrics;
    draft.desiredReplicas = replicas;
    if (replicas === current) return;
    await this.#rescale(autoscaler, draft, target, { from: current, to: replicas, reason });
  }

  /** `undefined` when no number could be found, which the draft then says. */
  async #decide(
    autoscaler: HorizontalPodAutoscaler,
    draft: Draft,
    scale: Scale,
    current: number,
  ): Promise<{ replicas: number; reason: string; metrics: readonly MetricStatus[] | null } | undefined> {
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    if (current === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      draft.condition('ScalingActive', false, { reason: 'ScalingDisabled', message });
      return { replicas: 0, reason: '', metrics: null };
    }
    if (current > max) {
      return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas', metrics: null };
    }
    if (current < min) {
      return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas', metrics: null };
    }
    const found = await this.#measure(autoscaler, draft, scale, current);
    if (found === undefined) return undefined;
    const now = this.#context.clock.now();
    const { uid } = autoscaler.metadata;
    const past = this.#past.get(uid) ?? noPast;
    const wanted = { current, desired: found.replicas, min, max, behavior, now };
    const { replicas, able, limited } = normalised(wanted, past);
    this.#past.set(uid, remembered(past, now, { wanted: found.replicas }));
    draft.condition('AbleToScale', true, able);
    draft.condition('ScalingLimited', limited.isLimited, limited);
    const reason =
      found.replicas > current
        ? `${found.name} above target`
        : found.replicas < current
          ? 'All metrics below target'
          : '';
    return { replicas, reason, metrics: found.metrics };
  }

  async #measure(
    autoscaler: HorizontalPodAutoscaler,
    draft: Draft,
    scale: Scale,
    currentReplicas: number,
  ): Promise<{ replicas: number; name: string; metrics: readonly MetricStatus[] } | undefined> {
    const { metadata, spec } = autoscaler;
    const { namespace } = metadata;
    const { metrics = [], behavior } = spec;
    const failed = (condition: { readonly reason: string; readonly message: string }, why: string) => {
      draft.condition('ScalingActive', false, condition);
      this.#warn(autoscaler, 'FailedComputeMetricsReplicas', why);
      draft.currentReplicas = currentReplicas;
    };
    const selector = scale.status?.selector ?? '';
    if (selector === '') {
      this.#warn(autoscaler, 'SelectorRequired', 'selector is required');
      failed(
        { reason: 'InvalidSelector', message: "the HPA target's scale is missing a selector" },
        'selector is required',
      );
      return undefined;
    }
    this.#selectors.set(metadata.uid, selector);
    const requirements = parseLabelSelector(selector);
    const pods = this.#pods.store.list({ namespace }).filter((pod) => matchesLabels(requirements, pod.metadata.labels));
    const rivals = this.#scalersOf(namespace, pods);
    if (rivals.length > 1) {
      const why = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`;
      this.#warn(autoscaler, 'AmbiguousSelector', why);
      failed({ reason: 'AmbiguousSelector', message: why }, why);
      return undefined;
    }
    const tolerances: Tolerances = { up: toleranceOf(behavior?.scaleUp), down: toleranceOf(behavior?.scaleDown) };
    const { client, clock } = this.#context;
    const now = clock.now();
    const question = { client, namespace, selector, pods, currentReplicas, tolerances, now };
    const results = await Promise.all(
      metrics.map((metric) =>
        proposalOf(metric, question).catch((error: unknown) => {
          if (error instanceof MetricFailure) return error;
          throw error;
        }),
      ),
    );
    const failures = results.filter((each) => each instanceof Error);
    for (const { reason, why } of failures) this.#warn(autoscaler, reason, why);
    const proposals = results.filter((each): each is Proposal => !(each instanceof Error));
    const best = proposals.reduce<Proposal | undefined>(
      (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
      undefined,
    );
    const statuses = results.map((each): MetricStatus => (each instanceof Error ? { type: '' as never } : each.status));
    const [first] = failures;
    if (first !== undefined && (best === undefined || best.replicas < currentReplicas)) {
      const message = `the HPA was unable to compute the replica count: ${first.why}`;
      const all = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.message}`;
      draft.currentMetrics = statuses;
      failed({ reason: first.reason, message }, all);
      return undefined;
    }
    if (best === undefined) return undefined;
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    draft.condition('ScalingActive', true, { reason: 'ValidMetricFound', message });
    return { replicas: best.replicas, name: best.name, metrics: statuses };
  }

  /** Those that would scale one of these pods, as the real controller prints them. */
  #scalersOf(namespace: string, pods: readonly Pod[]): readonly string[] {
    return this.#autoscalers.store.list({ namespace }).flatMap((each) => {
      const selector = this.#selectors.get(each.metadata.uid);
      if (selector === undefined) return [];
      const requirements = parseLabelSelector(selector);
      const scales = pods.some(({ metadata }) => matchesLabels(requirements, metadata.labels));
      return scales ? [`{${each.metadata.name} ${namespace}}`] : [];
    });
  }

  async #rescale(
    autoscaler: HorizontalPodAutoscaler,
    draft: Draft,
    { kind, scale }: { readonly kind: DiscoveredKind; readonly scale: Scale },
    { from, to, reason }: { readonly from: number; readonly to: number; readonly reason: string },
  ): Promise<void> {
    try {
      await this.#writeScale(autoscaler, kind, scale, to);
    } catch (error) {
      const why = reasonOf(error);
      this.#warn(autoscaler, 'FailedRescale', `New size: ${to}; reason: ${reason}; error: ${why}`);
      const message = `the HPA controller was unable to update the target scale: ${why}`;
      draft.condition('AbleToScale', false, { reason: 'FailedUpdateScale', message });
      draft.desiredReplicas = autoscaler.status?.desiredReplicas ?? 0;
      return;
    }
    const message = `the HPA controller was able to update the target scale to ${to}`;
    draft.condition('AbleToScale', true, { reason: 'SucceededRescale', message });
    draft.rescaled();
    this.#recorder.event(autoscaler, {
      type: 'Normal',
      reason: 'SuccessfulRescale',
      message: `New size: ${to}; reason: ${reason}`,
    });
    const { uid } = autoscaler.metadata;
    this.#past.set(uid, remembered(this.#past.get(uid) ?? noPast, this.#context.clock.now(), { from, to }));
  }

  async #writeScale(
    autoscaler: HorizontalPodAutoscaler,
    kind: DiscoveredKind,
    first: Scale,
    replicas: number,
  ): Promise<void> {
    const { client } = this.#context;
    let scale = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.update(kind, { ...scale, spec: { ...scale.spec, replicas } } as never, { subresource: 'scale' });
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === maxConflicts) throw error;
        scale = (await this.#target(autoscaler)).scale;
      }
    }
  }
}
