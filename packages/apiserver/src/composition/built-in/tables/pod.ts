/** The row of a pod: how many containers are ready, and in one word what it is doing. */
import type { ContainerStatus, Pod } from '@keelson/core/v1';
import { age, ageColumn, column, named, since, wide } from '../../../encode/table-columns.ts';
import { type ApiObject, readAs } from '../../../object.ts';
import type { TableRules } from '../../../resource/resource.ts';

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly restartedAt: string | undefined;
}

const lastTermination = ({ lastState }: ContainerStatus): string | undefined =>
  lastState?.terminated?.finishedAt ?? undefined;
const later = (a: string | undefined, b: string | undefined): string | undefined =>
  b !== undefined && (a ?? '') < b ? b : a;
const conditionTrue = ({ status }: Pod, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');

export function podSummary(pod: Pod): Summary {
  const { spec, status } = pod;
  const phase = status?.phase ?? '';
  let reason = status?.reason || phase;
  if ((status?.conditions ?? []).some((each) => each.type === 'PodScheduled' && each.reason === 'SchedulingGated')) {
    reason = 'SchedulingGated';
  }
  const sidecars = new Set(
    (spec.initContainers ?? []).flatMap((each) => (each.restartPolicy === 'Always' ? each.name : [])),
  );
  const total = (spec.containers ?? []).length + sidecars.size;
  let ready = 0;
  let restarts = 0;
  let restartedAt: string | undefined;
  let sidecarRestarts = 0;
  let sidecarRestartedAt: string | undefined;
  let initializing = false;

  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const { state, restartCount, name } = container;
    restarts += restartCount;
    restartedAt = later(restartedAt, lastTermination(container));
    const isSidecar = sidecars.has(name);
    if (isSidecar) {
      sidecarRestarts += restartCount;
      sidecarRestartedAt = later(sidecarRestartedAt, lastTermination(container));
    }
    if (state?.terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) ready += 1;
      continue;
    }
    if (state?.terminated) {
      const { reason: why, signal, exitCode } = state.terminated;
      reason = `Init:${why || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`)}`;
    } else if (state?.waiting?.reason && state.waiting.reason !== 'PodInitializing') {
      reason = `Init:${state.waiting.reason}`;
    } else {
      reason = `Init:${index}/${(spec.initContainers ?? []).length}`;
    }
    initializing = true;
    break;
  }

  if (!initializing || conditionTrue(pod, 'Initialized')) {
    restarts = sidecarRestarts;
    restartedAt = sidecarRestartedAt;
    let running = false;
    let failure = '';
    for (const container of [...(status?.containerStatuses ?? [])].reverse()) {
      const { state } = container;
      restarts += container.restartCount;
      restartedAt = later(restartedAt, lastTermination(container));
      if (state?.waiting?.reason) reason = state.waiting.reason;
      else if (state?.terminated) {
        const { reason: why, signal, exitCode } = state.terminated;
        reason = why || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
        if (exitCode !== 0) failure = reason;
      } else if (container.ready && state?.running) {
        running = true;
        ready += 1;
      }
    }
    if (reason === 'Completed') {
      if (running && conditionTrue(pod, 'Ready')) reason = 'Running';
      else if (failure !== '') reason = failure;
      else if (running) reason = 'NotReady';
    }
  }

  if (pod.metadata.deletionTimestamp) {
    if (status?.reason === 'NodeLost') reason = 'Unknown';
    else if (phase !== 'Failed' && phase !== 'Succeeded') reason = 'Terminating';
  }
  return { ready, total, reason, restarts, restartedAt };
}

const gates = (pod: Pod): string => {
  const wanted = pod.spec.readinessGates ?? [];
  if (wanted.length === 0) return '<none>';
  return `${wanted.filter(({ conditionType }) => conditionTrue(pod, conditionType)).length}/${wanted.length}`;
};

export const podTable: TableRules = {
  ...named(
    (object: ApiObject, now) => {
      const pod = readAs<Pod>(object);
      const { ready, total, reason, restarts, restartedAt } = podSummary(pod);
      return [
        `${ready}/${total}`,
        reason,
        restarts !== 0 && restartedAt !== undefined ? `${restarts} (${since(restartedAt, now)} ago)` : String(restarts),
        age(object, now),
        pod.status?.podIPs?.[0]?.ip || '<none>',
        pod.spec.nodeName || '<none>',
        pod.status?.nominatedNodeName || '<none>',
        gates(pod),
      ];
    },
    column('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    column('Status', 'The aggregate status of the containers in this pod.'),
    column(
      'Restarts',
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    ),
    ageColumn,
    wide('IP', 'The address of the pod.'),
    wide('Node', 'The node on which the pod runs.'),
    wide('Nominated Node', 'The node that is being made free for the pod.'),
    wide('Readiness Gates', 'How many of the additional conditions for readiness are met.'),
  ),
  conditions(object) {
    const phase = readAs<Pod>(object).status?.phase;
    if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
    const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
    return [{ type: 'Completed', status: 'True', reason: phase, message }];
  },
};
