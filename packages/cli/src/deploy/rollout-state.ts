/**
 * How far a rollout is, and why a pod does not start: of what the cluster says, in the words of whoever has to mend it.
 *
 * Nothing is asked here. A problem that no waiting mends is told apart from one that may go away by itself, such as a
 * node that is still to come.
 */
import { conditionOf, controllerOf } from '@keelson/core';
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import type { ContainerStatus, Event, Pod } from '@keelson/core/v1';
import { pullFailure } from './pull-failure.ts';

/** What the cluster has of a Deployment. */
export interface RolloutSight {
  readonly deployment: Deployment;
  readonly replicaSets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
  readonly events: readonly Event[];
}

export interface RolloutProblem {
  readonly text: string;
  /** What to do about it. */
  readonly next: string;
  /** Whether waiting is of no use. */
  readonly isFinal: boolean;
  /** The pod whose log says more, and whether it is the log of its run before. */
  readonly log?: { readonly pod: string; readonly isPrevious: boolean };
}

export interface RolloutState {
  readonly isDone: boolean;
  readonly wanted: number;
  readonly ready: number;
  readonly pods: readonly PodState[];
  /** The gravest one. */
  readonly problem: RolloutProblem | undefined;
}

interface PodState {
  readonly name: string;
  /** Such as `is starting`. */
  readonly text: string;
  readonly isReady: boolean;
  /** Where it was placed. */
  readonly node: string | undefined;
  readonly problem?: RolloutProblem | undefined;
}

const revision = 'deployment.kubernetes.io/revision';

export function rolloutState({ deployment, replicaSets, pods, events }: RolloutSight): RolloutState {
  const { metadata, spec, status } = deployment;
  const wanted = spec.replicas ?? 1;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const current = isSeen
    ? replicaSets.find(
        (each) =>
          controllerOf(each)?.uid === metadata.uid &&
          each.metadata.annotations?.[revision] === metadata.annotations?.[revision],
      )
    : undefined;
  const own = current === undefined ? [] : pods.filter((pod) => controllerOf(pod)?.uid === current.metadata.uid);
  const states = own.map((pod) => podState(pod, events)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  const isDone =
    isSeen && updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted && wanted > 0;
  const problems = [refusedPods(deployment), ...states.map(({ problem }) => problem)].filter((each) => !!each);
  return {
    isDone,
    wanted,
    ready: states.filter(({ isReady }) => isReady).length,
    pods: states,
    problem: isDone ? undefined : (problems.find(({ isFinal }) => isFinal) ?? problems[0]),
  };
}

/** Pods that are not even made. */
function refusedPods(deployment: Deployment): RolloutProblem | undefined {
  const { status, message = '' } = conditionOf(deployment, 'ReplicaFailure');
  if (status !== 'True') return undefined;
  const text = `no pod can be made: ${message}`;
  if (/exceeded quota|must specify (limits|requests)/.test(message)) {
    const next = 'raise the quota of the namespace, or take less in config/default by a patch';
    return { text, next, isFinal: true };
  }
  if (/violates PodSecurity/.test(message)) {
    const next = 'change the pods by a patch in config/default, or what the namespace enforces';
    return { text, next, isFinal: true };
  }
  return { text, next: `see who refuses it, then call again`, isFinal: true };
}

function podState(pod: Pod, events: readonly Event[]): PodState {
  const { name } = pod.metadata;
  const problem = podProblem(pod, events);
  const isReady = conditionOf(pod, 'Ready').status === 'True' && pod.metadata.deletionTimestamp === undefined;
  const text = isReady ? 'is ready' : (problem?.text ?? waitingText(pod, events));
  return { name, text: `${text.startsWith(name) ? '' : `${name} `}${text}`, isReady, node: pod.spec.nodeName, problem };
}

function waitingText({ metadata, spec, status }: Pod, events: readonly Event[]): string {
  if (metadata.deletionTimestamp !== undefined) return 'is stopping';
  if (spec.nodeName === undefined) return 'waits for a node';
  const last = events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid).map(({ reason }) => reason);
  const isRunning = status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  if (isRunning) return 'runs and is not ready yet';
  return last.includes('Pulling') && !last.includes('Pulled') ? 'pulls its image' : 'is starting';
}

function podProblem(pod: Pod, events: readonly Event[]): RolloutProblem | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled.status === 'False') {
    return {
      text: `${metadata.name} finds no node: ${scheduled.message ?? scheduled.reason ?? ''}`,
      next: `see "kubectl describe nodes": what it asks for has to be free on one`,
      isFinal: false,
    };
  }
  const [container] = (status?.containerStatuses ?? []).filter(({ ready }) => !ready);
  const found = container && containerProblem(pod, container);
  return found ?? eventProblem(pod, events);
}

const pulling = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable'];
const creating = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'];

function containerProblem({ metadata }: Pod, container: ContainerStatus): RolloutProblem | undefined {
  const { name } = metadata;
  const { waiting, terminated } = container.state ?? {};
  const { reason = '', message = '' } = waiting ?? {};
  if (pulling.includes(reason)) {
    const { why, next } = pullFailure(container.image, { reason, message });
    return {
      text: `${name} cannot pull ${container.image} (${why})`,
      next,
      isFinal: reason !== 'ErrImagePull', // the first failure is tried again at once
    };
  }
  if (creating.includes(reason)) {
    return {
      text: `${name} cannot be started: ${message || reason}`,
      next: `"kubectl describe pod ${name} --namespace ${metadata.namespace}" says more`,
      isFinal: true,
    };
  }
  const ended = terminated ?? container.lastState?.terminated;
  if (ended === undefined || container.state?.running !== undefined) return undefined;
  const why = ended.reason === 'OOMKilled' ? 'it used more memory than its limit' : `exit code ${ended.exitCode}`;
  const { restartCount } = container;
  const times = ['', ' once more', ' again'][Math.min(restartCount, 2)];
  return {
    text: `${name} has ended${times} (${why})`,
    next: 'its last lines are above',
    isFinal: restartCount > 0,
    log: { pod: `${metadata.namespace}/${name}`, isPrevious: terminated === undefined },
  };
}

/** What nothing but Events tell: volumes and networks that do not come, and probes that fail. */
function eventProblem({ metadata, status }: Pod, events: readonly Event[]): RolloutProblem | undefined {
  const { name, namespace, uid } = metadata;
  const own = events
    .filter(({ involvedObject, type }) => involvedObject.uid === uid && type === 'Warning')
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  const isRunning = status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  const found = own.findLast(({ reason }) =>
    isRunning ? reason === 'Unhealthy' : reason === 'FailedMount' || reason === 'FailedCreatePodSandBox',
  );
  if (found === undefined) return undefined;
  if (!isRunning) return { text: `${name} is not started: ${found.message}`, next: 'mend that', isFinal: false };
  return {
    text: `${name} runs and is not ready: ${found.message}`,
    next: 'its last lines are above; /readyz?verbose on its health port says what it waits for',
    isFinal: false,
    log: { pod: `${namespace}/${name}`, isPrevious: false },
  };
}

const timeOf = ({ lastTimestamp, eventTime }: Event): string => lastTimestamp ?? eventTime ?? '';
