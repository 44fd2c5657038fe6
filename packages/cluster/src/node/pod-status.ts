/**
 * What the simulated node reports of its pods, as the kubelet would: being created, running, ready, ended.
 *
 * Promises: a condition's time changes with its status only; what was reported before (a container's id, when it began)
 * stays. Pure; how long each stage takes is the node's business.
 */
import { timestamp } from '@keelson/core';
import type { Container, ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '@keelson/core/v1';
import { nodeAddress } from './node-object.ts';

interface Statement {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** What the node says; the rest of a status stays as it is. */
export type PodReport = Pick<
  PodStatus,
  | 'phase'
  | 'conditions'
  | 'containerStatuses'
  | 'initContainerStatuses'
  | 'hostIP'
  | 'hostIPs'
  | 'podIP'
  | 'podIPs'
  | 'startTime'
  | 'observedGeneration'
>;

const yes: Statement = { status: 'True' };
const no: Statement = { status: 'False' };

export function creating(pod: Pod, wallMs: number): PodReport {
  return {
    ...generation(pod),
    phase: 'Pending',
    startTime: timestamp(wallMs),
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    conditions: conditions(pod, { PodReadyToStartContainers: no, Initialized: yes, ...readiness(pod, false) }, wallMs),
    ...statuses(pod, (container) => unstarted(container)),
  };
}

export interface Running {
  readonly podIP: string;
  readonly isReady: boolean;
  /** Makes the id of a container that has none yet. */
  readonly newId: () => string;
}

export function running(pod: Pod, { podIP, isReady, newId }: Running, wallMs: number): PodReport {
  return {
    ...generation(pod),
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: conditions(
      pod,
      { PodReadyToStartContainers: yes, Initialized: yes, ...readiness(pod, isReady) },
      wallMs,
    ),
    ...statuses(pod, (container, current, isInit) => {
      const containerID = current?.containerID ?? newId();
      const startedAt = current?.state?.running?.startedAt ?? timestamp(wallMs);
      const state: ContainerState = isInit
        ? current?.state?.terminated
          ? current.state
          : { terminated: ended(containerID, startedAt, wallMs, 0) }
        : { running: { startedAt } };
      return { ...known(container, containerID), ready: isInit || isReady, started: !isInit, state };
    }),
  };
}

/** All containers have ended, with this code: 0 when they stopped by themselves, 137 when their time was over. */
export function terminated(pod: Pod, exitCode: 0 | 137, wallMs: number): PodReport {
  const failed = exitCode !== 0;
  const over: Statement = { status: 'False', reason: failed ? 'PodFailed' : 'PodCompleted' };
  const initialized: Statement = failed ? yes : { status: 'True', reason: 'PodCompleted' };
  return {
    ...generation(pod),
    phase: failed ? 'Failed' : 'Succeeded',
    conditions: conditions(
      pod,
      { PodReadyToStartContainers: no, Initialized: initialized, Ready: over, ContainersReady: over },
      wallMs,
    ),
    ...statuses(pod, (container, current, isInit) => {
      if (isInit && current?.state?.terminated) return current;
      const containerID = current?.containerID;
      if (containerID === undefined) return unstarted(container);
      const startedAt = current?.state?.running?.startedAt ?? timestamp(wallMs);
      const state = { terminated: ended(containerID, startedAt, wallMs, exitCode) };
      return { ...known(container, containerID), ready: false, started: false, state };
    }),
  };
}

/** Which readiness gates hold a pod back although its containers are ready. */
export function openGates({ spec, status }: Pod): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    if (!condition) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
    if (condition.status === 'True') return [];
    return `the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`;
  });
}

function readiness(pod: Pod, areContainersReady: boolean): Readonly<Record<'Ready' | 'ContainersReady', Statement>> {
  const names = pod.spec.containers.map(({ name }) => name).join(' ');
  const notReady: Statement = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names}]`,
  };
  if (!areContainersReady) return { Ready: notReady, ContainersReady: notReady };
  const gates = openGates(pod);
  const closed: Statement = { status: 'False', reason: 'ReadinessGatesNotReady', message: gates.join(', ') };
  return { Ready: gates.length === 0 ? yes : closed, ContainersReady: yes };
}

/** The kubelet's conditions in its order, and then those of others as they are. */
function conditions(
  pod: Pod,
  statements: Readonly<Record<string, Statement>>,
  wallMs: number,
): readonly PodCondition[] {
  const all = { ...statements, PodScheduled: yes };
  const before = pod.status.conditions ?? [];
  const own = Object.entries(all).map(([type, statement]) => {
    const current = before.find((each) => each.type === type);
    const lastTransitionTime = current?.status === statement.status ? current.lastTransitionTime : timestamp(wallMs);
    return { type, ...statement, lastProbeTime: null, lastTransitionTime, ...generation(pod) };
  });
  return [...own, ...before.filter(({ type }) => !(type in all))];
}

const generation = ({ metadata }: Pod): { readonly observedGeneration?: number } =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

/** The status of each container, and of each init container that there is. Sidecars run like the others. */
function statuses(
  { spec, status }: Pod,
  of: (container: Container, current: ContainerStatus | undefined, isInit: boolean) => ContainerStatus,
): Pick<PodReport, 'containerStatuses' | 'initContainerStatuses'> {
  const each = (containers: readonly Container[], known: readonly ContainerStatus[] = [], areInit: boolean) =>
    containers.map((container) =>
      of(
        container,
        known.find(({ name }) => name === container.name),
        areInit && container.restartPolicy !== 'Always',
      ),
    );
  return {
    containerStatuses: each(spec.containers, status.containerStatuses, false),
    ...(spec.initContainers
      ? { initContainerStatuses: each(spec.initContainers, status.initContainerStatuses, true) }
      : {}),
  };
}

function unstarted({ name, image = '' }: Container): ContainerStatus {
  const state = { waiting: { reason: 'ContainerCreating' } };
  return { name, image, imageID: '', lastState: {}, ready: false, restartCount: 0, started: false, state };
}

const known = ({ name, image = '' }: Container, containerID: string) => ({
  name,
  image,
  imageID: `simulated://${image}`,
  containerID,
  lastState: {},
  restartCount: 0,
});

function ended(containerID: string, startedAt: string, wallMs: number, exitCode: number) {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return { containerID, exitCode, reason, startedAt, finishedAt: timestamp(wallMs) };
}
