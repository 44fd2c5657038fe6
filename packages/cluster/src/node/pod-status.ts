/**
 * What the kubelet says of a pod, given what it knows of the containers: phase and conditions.
 *
 * Promises: a condition's time changes with its status only; conditions of others stay. Pure.
 */
import { timestamp } from '@keelson/core';
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '@keelson/core/v1';
import { nodeAddress } from './node-object.ts';

/** What the node says; the rest of a status stays as it is. */
export type PodReport = Pick<
  PodStatus,
  | 'phase'
  | 'reason'
  | 'message'
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

/** What the report is made from. */
export interface PodFacts {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  /** Its address, from the moment when there is something in which containers can be started. */
  readonly podIP: string | undefined;
  /** No container is started again, whatever the restart policy says. */
  readonly isStopped: boolean;
  /** Why the kubelet gave it up. */
  readonly verdict?: { readonly reason: string; readonly message: string } | undefined;
}

type Phase = NonNullable<PodStatus['phase']>;

interface Statement {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

const yes: Statement = { status: 'True' };
const no: Statement = { status: 'False' };

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

export function reportOf(pod: Pod, facts: PodFacts, wallMs: number): PodReport {
  const { init, main, podIP, verdict } = facts;
  const phase = phaseOf(pod, facts);
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const startTime = pod.status.startTime ?? timestamp(wallMs);
  const statements = {
    PodReadyToStartContainers: podIP === undefined || isOver ? no : yes,
    Initialized: initialized(pod, facts, phase),
    ...readiness(pod, facts, phase),
  };
  return {
    ...generation(pod),
    phase,
    ...verdict,
    startTime,
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    conditions: conditions(pod, statements, wallMs),
    // The kubelet sorts these, and not those.
    containerStatuses: [...main].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(pod.spec.initContainers?.length ? { initContainerStatuses: init } : {}),
  };
}

function phaseOf({ spec }: Pod, { init, main, isStopped, verdict }: PodFacts): Phase {
  if (verdict) return 'Failed';
  const ofInit = (spec.initContainers ?? []).flatMap((container) => {
    const status = init.find(({ name }) => name === container.name);
    return status ? [{ container, status }] : [];
  });
  const prepare = ofInit.filter(({ container }) => !isSidecar(container));
  const sidecars = ofInit.filter(({ container }) => isSidecar(container)).map(({ status }) => status);
  if (prepare.some(({ container, status }) => hasFailedForGood(spec, container, status))) return 'Failed';
  const hasBegun = main.some(hasStarted);
  const isPreparing = prepare.some(({ status }) => !status.ready && endOf(status) === undefined);
  if (isPreparing || (!hasBegun && sidecars.some(({ started }) => !started))) return 'Pending';
  if (main.some((status) => !status.state?.running && endOf(status) === undefined)) return 'Pending';
  if ([...main, ...sidecars].some(({ state }) => state?.running)) return 'Running';
  const goesOn = main.some((status) => !isLast(spec, mainOf(spec, status.name), endOf(status)));
  if (goesOn && !isStopped) return 'Running';
  return main.every((status) => endOf(status) === 0) ? 'Succeeded' : 'Failed';
}

/** The code with which a container ended last, if it does not run again. */
function endOf({ state, lastState }: ContainerStatus): number | undefined {
  if (state?.running) return undefined;
  return (state?.terminated ?? lastState?.terminated)?.exitCode;
}

const hasStarted = ({ state, lastState }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;

const mainOf = ({ containers }: Pod['spec'], name: string): Container =>
  containers.find((each) => each.name === name) ?? { name };

function isLast(spec: Pod['spec'], container: Container, exitCode: number | undefined): boolean {
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always';
  return policy === 'Never' || (policy === 'OnFailure' && exitCode === 0);
}

function hasFailedForGood(spec: Pod['spec'], container: Container, status: ContainerStatus): boolean {
  const exitCode = endOf(status);
  return exitCode !== undefined && exitCode !== 0 && isLast(spec, container, exitCode);
}

function initialized({ spec }: Pod, { init, main }: PodFacts, phase: Phase): Statement {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const incomplete = (spec.initContainers ?? []).filter((container) => {
    const status = init.find(({ name }) => name === container.name);
    return isSidecar(container) ? !status?.started : !status?.ready;
  });
  if (incomplete.length === 0 || main.some(hasStarted)) return yes;
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function readiness(
  pod: Pod,
  { init, main }: PodFacts,
  phase: Phase,
): Readonly<Record<'Ready' | 'ContainersReady', Statement>> {
  const both = (statement: Statement) => ({ Ready: statement, ContainersReady: statement });
  if (phase === 'Succeeded') return both({ status: 'False', reason: 'PodCompleted' });
  if (phase === 'Failed') return both({ status: 'False', reason: 'PodFailed' });
  const ready = new Set([...init, ...main].filter((each) => each.ready).map(({ name }) => name));
  const relevant = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
  const unready = relevant.filter(({ name }) => !ready.has(name));
  if (unready.length > 0) {
    const message = `containers with unready status: [${namesOf(unready)}]`;
    return both({ status: 'False', reason: 'ContainersNotReady', message });
  }
  const gates = openGates(pod);
  const closed: Statement = { status: 'False', reason: 'ReadinessGatesNotReady', message: gates.join(', ') };
  return { Ready: gates.length === 0 ? yes : closed, ContainersReady: yes };
}

const namesOf = (containers: readonly Container[]): string => containers.map(({ name }) => name).join(' ');

/** Which readiness gates hold a pod back although its containers are ready. */
export function openGates({ spec, status }: Pod): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    if (!condition) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
    if (condition.status === 'True') return [];
    return `the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`;
  });
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
