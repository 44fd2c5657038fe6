/**
 * The life of one container on the simulated node: created, started, ready, ended, started again or not, as the kubelet
 * has it.
 *
 * Promises: no I/O and no timers: what happens is a matter of the script, and of the moments at which it is asked to live
 * on. What it says is what the kubelet would report, the Events included; a repetition is told once.
 */
import { timestamp } from '@keelson/core';
import type { Container, ContainerStatus, Pod, Probe } from '@keelson/core/v1';
import type { Output } from './command.ts';
import { RestartBackoff } from './restart-backoff.ts';
import type { ContainerRole, ContainerScript, End, FailingProbe, Refusal } from './script.ts';

/** Now, for people and for measuring. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** What the kubelet tells about a container. */
export interface ContainerEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** One run of a container: what it writes, from when until when, in wall time. */
export interface Run {
  readonly startedAtMs: number;
  /** `undefined` while it runs. */
  readonly endedAtMs: number | undefined;
  readonly output: readonly Output[];
}

/** Where in its life the container is; all times are monotonic. */
type Stage =
  | { readonly type: 'created'; readonly since: number | undefined }
  | { readonly type: 'refused'; readonly at: number; readonly refusal: Refusal; readonly isBackingOff: boolean }
  | { readonly type: 'running'; readonly since: number; readonly stop?: Stop; readonly sick?: Sickness }
  | { readonly type: 'ended'; readonly backoffFrom: number | undefined; readonly isBackingOff: boolean };

/** It was asked to stop, and will have at that time: by itself, or by force. */
interface Stop {
  readonly at: number;
  readonly exitCode: number;
  /** A probe wanted it: what it does next is decided by the end of the run before. */
  readonly isByProbe: boolean;
}

/** A probe fails: since when, and how often it was told. */
interface Sickness {
  readonly failing: FailingProbe;
  readonly since: number;
  readonly told: number;
}

type Tell = (event: ContainerEvent) => void;

/** How long a failed pull is shown as such, before the wait for the next try is. */
const failedPullMs = 1000;

export class ContainerLife {
  readonly container: Container;
  readonly role: ContainerRole;
  readonly #newId: () => string;
  readonly #pulls = new RestartBackoff();
  readonly #restarts = new RestartBackoff();
  #stage: Stage = { type: 'created', since: undefined };
  #status: ContainerStatus;
  /** The run that is or was the last, and the one before it. */
  #runs: readonly Run[] = [];
  #endedAt: number | undefined;
  #isStopped = false;

  constructor(pod: Pod, container: Container, role: ContainerRole, newId: () => string) {
    this.container = container;
    this.role = role;
    this.#newId = newId;
    this.#status = unstarted(pod, container);
  }

  get status(): ContainerStatus {
    return this.#status;
  }

  get isRunning(): boolean {
    return this.#stage.type === 'running';
  }

  /** Whether it has done what the containers after it wait for. */
  get isInitialized(): boolean {
    return this.role === 'init' ? this.#status.ready : this.#status.started === true;
  }

  /** The run that is or was the last, or the one before it. */
  run({ isPrevious }: { readonly isPrevious: boolean }): Run | undefined {
    return this.#runs.at(isPrevious ? -2 : -1);
  }

  /** Whether it has ended, and will not be started again. */
  isOver(pod: Pod): boolean {
    const { terminated } = this.#status.state ?? {};
    return terminated !== undefined && (this.#isStopped || !isRestarted(pod, this, terminated.exitCode));
  }

  /** Goes on from what an earlier process reported. */
  restore(status: ContainerStatus, now: Moment): void {
    this.#status = status;
    const { running, terminated } = status.state ?? {};
    const monotonic = (time: string | null | undefined) => now.monotonicMs - (now.wallMs - Date.parse(time ?? ''));
    if (running) this.#stage = { type: 'running', since: monotonic(running.startedAt) };
    else if (terminated) this.#ended(monotonic(terminated.finishedAt), false);
    else if (status.lastState?.terminated) this.#ended(monotonic(status.lastState.terminated.finishedAt), false);
  }

  /**
   * Lives on until now. What is due happens, up to the next end of a run, so that each of them can be reported. Returns
   * after how many milliseconds there is more to do; `undefined` when nothing is known to come.
   */
  advance(pod: Pod, script: ContainerScript, now: Moment, tell: Tell): number | undefined {
    if (this.#isStopped && this.#stage.type !== 'running') return undefined;
    const stage = this.#stage;
    switch (stage.type) {
      case 'created':
      case 'refused':
        return this.#begin(stage, pod, script, now, tell);
      case 'running':
        return this.#runOn(stage, pod, script, now, tell);
      case 'ended':
        return this.isOver(pod) ? undefined : this.#restart(stage, pod, script, now, tell);
      default:
        return stage satisfies never;
    }
  }

  /** Asks it to stop, for good: it does so in its own time, or by force when its grace is over. */
  stop({ stopAfterMs }: ContainerScript, graceMs: number, now: Moment): void {
    this.#isStopped = true;
    if (this.#stage.type === 'running') this.#askToStop(this.#stage, stopAfterMs, graceMs, now, false);
    const { terminated } = this.#status.lastState ?? {};
    if (this.#stage.type === 'ended' && terminated && this.#status.state?.waiting) {
      this.#status = { ...this.#status, state: { terminated } };
    }
  }

  #begin(
    stage: Extract<Stage, { type: 'created' | 'refused' }>,
    pod: Pod,
    script: ContainerScript,
    now: Moment,
    tell: Tell,
  ): number | undefined {
    if (stage.type === 'created') {
      const since = stage.since ?? now.monotonicMs;
      this.#stage = { type: 'created', since };
      const leftMs = since + script.startAfterMs - now.monotonicMs;
      if (leftMs > 0) return leftMs;
    } else if (stage.refusal.reason === 'ErrImagePull') {
      const leftMs = this.#pullAgainIn(stage, now, tell);
      if (leftMs > 0) return leftMs;
    } else if (script.refusal?.reason === stage.refusal.reason && script.refusal.message === stage.refusal.message) {
      return undefined; // the kubelet tries again every few seconds, to no other end
    }
    if (script.refusal) return this.#refuse(script.refusal, now, tell);
    this.#start(script, now, tell);
    return this.advance(pod, script, now, tell);
  }

  #refuse(refusal: Refusal, now: Moment, tell: Tell): number | undefined {
    const { image = '' } = this.container;
    const { reason, message } = refusal;
    this.#stage = { type: 'refused', at: now.monotonicMs, refusal, isBackingOff: false };
    this.#wait(reason, message);
    switch (reason) {
      case 'ErrImagePull':
        this.#pulls.next(now.monotonicMs, now.monotonicMs);
        tell(normal('Pulling', `Pulling image "${image}"`));
        tell(warning('Failed', `Failed to pull image "${image}": ${message}`));
        tell(warning('Failed', `Error: ${reason}`));
        return failedPullMs;
      case 'InvalidImageName':
      case 'ErrImageNeverPull':
        tell(warning(reason === 'InvalidImageName' ? 'InspectFailed' : reason, message));
        tell(warning('Failed', `Error: ${reason}`));
        return undefined;
      default:
        return reason satisfies never;
    }
  }

  /** How long it is until the image is pulled again; the wait itself is told. */
  #pullAgainIn(stage: Extract<Stage, { type: 'refused' }>, now: Moment, tell: Tell): number {
    const shownMs = stage.at + failedPullMs - now.monotonicMs;
    if (!stage.isBackingOff && shownMs > 0) return shownMs;
    if (!stage.isBackingOff) {
      const { image = '' } = this.container;
      tell(normal('BackOff', `Back-off pulling image "${image}"`));
      tell(warning('Failed', 'Error: ImagePullBackOff'));
      const { reason, message } = stage.refusal;
      this.#wait('ImagePullBackOff', `Back-off pulling image "${image}": ${reason}: ${message}`);
      this.#stage = { ...stage, isBackingOff: true };
    }
    return this.#pulls.leftMs(stage.at, now.monotonicMs);
  }

  #start({ output }: ContainerScript, now: Moment, tell: Tell): void {
    const { name, image = '' } = this.container;
    const { containerID, restartCount, state, lastState = {} } = this.#status;
    tell(normal('Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`));
    tell(normal('Created', 'Container created'));
    tell(normal('Started', 'Container started'));
    this.#runs = [...this.#runs.slice(-1), { startedAtMs: now.wallMs, endedAtMs: undefined, output }];
    this.#stage = { type: 'running', since: now.monotonicMs };
    this.#status = {
      name,
      image,
      imageID: `simulated://${image}`,
      containerID: this.#newId(),
      lastState: state?.terminated ? { terminated: state.terminated } : lastState,
      ready: false,
      restartCount: containerID === undefined ? restartCount : restartCount + 1,
      started: this.role === 'init' || this.container.startupProbe === undefined,
      state: { running: { startedAt: timestamp(now.wallMs) } },
    };
  }

  #runOn(
    stage: Extract<Stage, { type: 'running' }>,
    pod: Pod,
    script: ContainerScript,
    now: Moment,
    tell: Tell,
  ): number | undefined {
    const endsAt = script.end ? stage.since + script.end.afterMs : Number.POSITIVE_INFINITY;
    const { stop } = stage;
    if (stop && stop.at <= Math.min(endsAt, now.monotonicMs)) return this.#stopped(stop, pod, script, now, tell);
    if (script.end && endsAt <= now.monotonicMs) {
      this.#end(script.end, now);
      this.#ended(now.monotonicMs, false);
      return 0;
    }
    if (stop) return Math.min(stop.at, endsAt) - now.monotonicMs;
    const probedAt = this.#probe(stage, pod, script, now, tell);
    const readyAt = this.#becomeReady(stage, script, now);
    const next = Math.min(endsAt, probedAt, readyAt);
    return next === Number.POSITIVE_INFINITY ? undefined : next - now.monotonicMs;
  }

  /** When it becomes ready; never, when it is, or when a probe stands in the way. */
  #becomeReady(stage: { readonly since: number }, { readyAfterMs, failing }: ContainerScript, now: Moment): number {
    const isHeldBack = failing !== undefined && failing.probe !== 'liveness';
    if (this.role === 'init' || this.#status.ready || isHeldBack) return Number.POSITIVE_INFINITY;
    if (stage.since + readyAfterMs > now.monotonicMs) return stage.since + readyAfterMs;
    this.#status = { ...this.#status, ready: true, started: true };
    return Number.POSITIVE_INFINITY;
  }

  /** Lets the failing probe fail as often as it would have by now. Returns when it fails next; never, if that says nothing new. */
  #probe(
    stage: Extract<Stage, { type: 'running' }>,
    pod: Pod,
    script: ContainerScript,
    now: Moment,
    tell: Tell,
  ): number {
    const { failing } = script;
    if (failing === undefined || this.role === 'init') {
      if (stage.sick) this.#stage = { type: 'running', since: stage.since };
      return Number.POSITIVE_INFINITY;
    }
    const { delayMs, periodMs, threshold } = probeTimes(this.#probeNamed(failing.probe));
    const isSame = stage.sick?.failing.probe === failing.probe;
    const since = isSame && stage.sick ? stage.sick.since : Math.max(now.monotonicMs, stage.since + delayMs);
    let told = isSame ? (stage.sick?.told ?? 0) : 0;
    const failsAt = () => since + told * periodMs;
    const { name } = this.container;
    const word = `${failing.probe[0]?.toUpperCase()}${failing.probe.slice(1)}`;
    for (; told < threshold && failsAt() <= now.monotonicMs; told += 1) {
      tell(warning('Unhealthy', `${word} probe failed: ${failing.message}`));
    }
    const sick = { failing, since, told };
    this.#stage = { ...stage, sick };
    if (told < threshold) return failsAt();
    if (failing.probe === 'readiness') {
      this.#status = { ...this.#status, ready: false };
      return Number.POSITIVE_INFINITY;
    }
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    const consequence = isRestarted(pod, this, 137) ? ', will be restarted' : '';
    tell(normal('Killing', `Container ${name} failed ${failing.probe} probe${consequence}`));
    return this.#askToStop({ ...stage, sick }, script.stopAfterMs, graceMs, now, true);
  }

  #probeNamed(name: FailingProbe['probe']): Probe | undefined {
    const { readinessProbe, livenessProbe, startupProbe } = this.container;
    return { readiness: readinessProbe, liveness: livenessProbe, startup: startupProbe }[name];
  }

  /** Returns when it will have stopped. */
  #askToStop(
    stage: Extract<Stage, { type: 'running' }>,
    stopAfterMs: number,
    graceMs: number,
    now: Moment,
    isByProbe: boolean,
  ): number {
    const at = now.monotonicMs + Math.min(stopAfterMs, graceMs);
    const stop = { at, exitCode: stopAfterMs <= graceMs ? 0 : 137, isByProbe };
    // The later wish counts when it is the stricter one: a pod may be given less time than it had.
    this.#stage = { ...stage, stop: stage.stop && stage.stop.at <= at ? stage.stop : stop };
    return at;
  }

  #stopped(stop: Stop, pod: Pod, script: ContainerScript, now: Moment, tell: Tell): number | undefined {
    const endedBefore = this.#endedAt;
    this.#end({ afterMs: 0, exitCode: stop.exitCode }, now);
    this.#ended(now.monotonicMs, stop.isByProbe, endedBefore);
    // The kubelet stops it and starts it again in one go, so nobody sees it ended.
    return stop.isByProbe && !this.isOver(pod) ? this.advance(pod, script, now, tell) : 0;
  }

  #end({ exitCode, reason = exitCode === 0 ? 'Completed' : 'Error', message }: End, now: Moment): void {
    const { containerID, state } = this.#status;
    const finishedAt = timestamp(now.wallMs);
    const startedAt = state?.running?.startedAt ?? finishedAt;
    const run = this.#runs.at(-1);
    if (run) this.#runs = [...this.#runs.slice(0, -1), { ...run, endedAtMs: now.wallMs }];
    this.#status = {
      ...this.#status,
      ready: this.role === 'init' && exitCode === 0,
      started: false,
      state: {
        terminated: { ...(message ? { message } : {}), containerID, exitCode, reason, startedAt, finishedAt },
      },
    };
  }

  /**
   * The wait before the next start is counted from this end; after a probe's verdict from the end before it, which is all
   * that the kubelet knows at that moment.
   */
  #ended(at: number, isByProbe: boolean, before?: number): void {
    this.#endedAt = at;
    this.#stage = { type: 'ended', backoffFrom: isByProbe ? before : at, isBackingOff: false };
  }

  #restart(
    stage: Extract<Stage, { type: 'ended' }>,
    pod: Pod,
    script: ContainerScript,
    now: Moment,
    tell: Tell,
  ): number | undefined {
    const { backoffFrom } = stage;
    const leftMs = backoffFrom === undefined ? 0 : this.#restarts.leftMs(backoffFrom, now.monotonicMs);
    if (leftMs === 0) {
      if (backoffFrom !== undefined) this.#restarts.next(backoffFrom, now.monotonicMs);
      this.#start(script, now, tell);
      return this.advance(pod, script, now, tell);
    }
    if (!stage.isBackingOff) {
      const { name } = this.container;
      const of = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      tell(warning('BackOff', `Back-off restarting failed container ${name} in pod ${of}`));
      const delay = goDuration(this.#restarts.delayMs);
      this.#wait('CrashLoopBackOff', `back-off ${delay} restarting failed container=${name} pod=${of}`);
      this.#stage = { ...stage, isBackingOff: true };
    }
    return leftMs;
  }

  #wait(reason: string, message: string): void {
    const { state, lastState = {} } = this.#status;
    const last = state?.terminated ? { terminated: state.terminated } : lastState;
    this.#status = { ...this.#status, lastState: last, state: { waiting: { reason, message } } };
  }
}

const normal = (reason: string, message: string): ContainerEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): ContainerEvent => ({ type: 'Warning', reason, message });

function unstarted({ spec }: Pod, { name, image = '' }: Container): ContainerStatus {
  const state = { waiting: { reason: spec.initContainers?.length ? 'PodInitializing' : 'ContainerCreating' } };
  return { name, image, imageID: '', lastState: {}, ready: false, restartCount: 0, started: false, state };
}

function isRestarted(
  { spec }: Pod,
  { container, role }: Pick<ContainerLife, 'container' | 'role'>,
  exitCode: number,
): boolean {
  const { restartPolicy = 'Always' } = spec;
  switch (container.restartPolicy ?? restartPolicy) {
    case 'Never':
      return false;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return role !== 'init' || exitCode !== 0;
  }
}

const probeTimes = ({ initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 }: Probe = {}) => ({
  delayMs: initialDelaySeconds * 1000,
  periodMs: periodSeconds * 1000,
  threshold: failureThreshold,
});

/** As Go writes it: `10s`, `1m20s`, `5m0s`. */
function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
