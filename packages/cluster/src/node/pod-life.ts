/**
 * The life of a pod on the simulated node: its containers in their order, until all have ended or it is told to stop.
 *
 * Promises: init containers one after the other, sidecars before what follows them, the others together; sidecars end when
 * the others have. No I/O and no timers, as in the life of a container.
 */
import type { Container, ContainerStatus, Pod } from '@keelson/core/v1';
import { type ContainerEvent, ContainerLife, type Moment, type Run } from './container-life.ts';
import { isSidecar, type PodReport, reportOf } from './pod-status.ts';
import type { ContainerRole, ContainerScript } from './script.ts';

/** An event about a pod, or about the container that it names. */
export interface PodEvent extends ContainerEvent {
  readonly fieldPath?: string | undefined;
}

/** What a pod needs of its node. */
export interface PodHost {
  /** What a container does. Asked again and again: it may change while the pod runs. */
  script(pod: Pod, container: Container, role: ContainerRole): ContainerScript;
  newAddress(pod: Pod): string;
  newId(): string;
  tell(pod: Pod, event: PodEvent): void;
}

const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

export class PodLife {
  readonly #host: PodHost;
  readonly #init: readonly ContainerLife[];
  readonly #main: readonly ContainerLife[];
  #podIP: string | undefined;
  #isStopped = false;
  #verdict: typeof deadlineExceeded | undefined;

  /** Goes on from what an earlier process reported of the pod, if there was one. */
  constructor(pod: Pod, host: PodHost, now: Moment) {
    const { containers, initContainers = [] } = pod.spec;
    const { podIP, containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const known = new Map([...containerStatuses, ...initContainerStatuses].map((each) => [each.name, each]));
    const life = (container: Container, role: ContainerRole) => {
      const made = new ContainerLife(pod, container, role, () => host.newId());
      const status = known.get(container.name);
      if (status) made.restore(status, now);
      return made;
    };
    this.#host = host;
    this.#podIP = podIP;
    this.#init = initContainers.map((each) => life(each, isSidecar(each) ? 'sidecar' : 'init'));
    this.#main = containers.map((each) => life(each, 'main'));
  }

  /** Whether any container ever ran. */
  get hasStarted(): boolean {
    return this.#all.some(({ status }) => status.containerID !== undefined);
  }

  get isRunning(): boolean {
    return this.#all.some((each) => each.isRunning);
  }

  get #all(): readonly ContainerLife[] {
    return [...this.#init, ...this.#main];
  }

  /** What a container wrote: in the run that is or was the last, or in the one before it. */
  run(container: string, which: { readonly isPrevious: boolean }): Run | undefined {
    return this.#all.find((each) => each.container.name === container)?.run(which);
  }

  /** What there is to say now. */
  report(pod: Pod, now: Moment): PodReport {
    const facts = {
      init: this.#init.map(({ status }) => status),
      main: this.#main.map(({ status }) => status),
      podIP: this.#podIP,
      isStopped: this.#isStopped,
      verdict: this.isRunning ? undefined : this.#verdict,
    };
    return reportOf(pod, facts, now.wallMs);
  }

  /** Lives on until now; returns after how many milliseconds there is more to do. `undefined`: nothing is known to come. */
  advance(pod: Pod, now: Moment): number | undefined {
    this.#podIP ??= this.#host.newAddress(pod);
    const left = [this.#untilDeadline(pod, now)];
    const live = (life: ContainerLife) => {
      const leftMs = this.#live(pod, life, now);
      if (!life.isOver(pod)) left.push(leftMs);
    };
    for (const life of this.#init) {
      if (life.role === 'sidecar' || !life.isInitialized) live(life);
      if (!life.isInitialized && !this.#hasBegun) break;
    }
    if (this.#hasBegun || this.#init.every((each) => each.isInitialized)) this.#main.forEach(live);
    if (this.#isDone(pod) && !this.#isStopped) {
      this.#stop(pod, this.#init, graceMsOf(pod), now);
      return this.advance(pod, now);
    }
    return least(left);
  }

  /** Asks all containers to stop, for good. May be repeated with less grace. */
  stop(pod: Pod, graceMs: number, now: Moment): void {
    this.#stop(pod, this.#all, graceMs, now);
  }

  /** Whether all work is done, or will never begin: what still runs are sidecars. */
  #isDone(pod: Pod): boolean {
    const hasFailed = this.#init.some((each) => each.role === 'init' && each.isOver(pod) && !each.isInitialized);
    return hasFailed || this.#main.every((each) => each.isOver(pod));
  }

  get #hasBegun(): boolean {
    return this.#main.some(({ status }) => status.containerID !== undefined);
  }

  #stop(pod: Pod, lives: readonly ContainerLife[], graceMs: number, now: Moment): void {
    const isFirst = !this.#isStopped;
    this.#isStopped = true;
    for (const life of lives) {
      const { container, isRunning } = life;
      if (isFirst && isRunning) {
        const message = `Stopping container ${container.name}`;
        this.#tell(pod, life, { type: 'Normal', reason: 'Killing', message });
      }
      life.stop(this.#host.script(pod, container, life.role), graceMs, now);
    }
  }

  #live(pod: Pod, life: ContainerLife, now: Moment): number | undefined {
    const here = { ...pod, status: { ...pod.status, podIP: this.#podIP } };
    const script = this.#host.script(here, life.container, life.role);
    return life.advance(pod, script, now, (event) => this.#tell(pod, life, event));
  }

  #tell(pod: Pod, { container, role }: ContainerLife, event: ContainerEvent): void {
    const list = role === 'main' ? 'containers' : 'initContainers';
    this.#host.tell(pod, { ...event, fieldPath: `spec.${list}{${container.name}}` });
  }

  #untilDeadline(pod: Pod, now: Moment): number | undefined {
    const { activeDeadlineSeconds } = pod.spec;
    const { startTime } = pod.status;
    if (activeDeadlineSeconds === undefined || startTime === undefined || this.#isStopped) return undefined;
    const leftMs = Date.parse(startTime) + activeDeadlineSeconds * 1000 - now.wallMs;
    if (leftMs > 0) return leftMs;
    this.#verdict = deadlineExceeded;
    this.#host.tell(pod, { type: 'Normal', ...deadlineExceeded });
    this.stop(pod, graceMsOf(pod), now);
    return undefined;
  }
}

export function statusNamed({ status }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}

const graceMsOf = ({ spec }: Pod): number => (spec.terminationGracePeriodSeconds ?? 30) * 1000;

function least(left: readonly (number | undefined)[]): number | undefined {
  const known = left.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
