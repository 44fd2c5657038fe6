/**
 * The logs of the simulated node: its containers write nothing, so every log is empty.
 *
 * Whether there is a log at all is said as a kubelet says it. Who follows one waits, as for any silent container, until
 * the container has ended.
 */
import type { ContainerLog, ContainerLogRequest, ContainerLogs } from '@keelson/apiserver';
import { type Client, createInformer } from '@keelson/client';
import type { Clock, Random } from '@keelson/core';
import { type ContainerStatus, Pod } from '@keelson/core/v1';

export interface SimulatedLogsOptions {
  readonly client: Client;
  /** The name of the node. */
  readonly node: string;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

export function simulatedLogs(options: SimulatedLogsOptions): ContainerLogs {
  return (request) => {
    if (request.node !== options.node) return { type: 'unreachable' };
    const message = whyNoLog(request.pod, request.container, request.previous);
    if (message !== undefined) return { type: 'refused', message };
    return { type: 'log', bytes: request.follow ? silence(options, request) : nothing() } satisfies ContainerLog;
  };
}

/** In the kubelet's words why a container has no log; `undefined` when it has one. */
export function whyNoLog(pod: Pod, name: string, previous: boolean): string | undefined {
  const which = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
  const status = statusOf(pod, name);
  if (status === undefined) return `${which} is not available`;
  const { state = {}, lastState = {} } = status;
  const hadOne = lastState.terminated?.containerID !== undefined;
  if (previous) return hadOne ? undefined : `previous terminated ${which} not found`;
  if (state.running !== undefined) return undefined;
  if (state.terminated !== undefined)
    return state.terminated.containerID || hadOne ? undefined : `${which} is terminated`;
  if (lastState.terminated !== undefined) return hadOne ? undefined : `${which} is terminated`;
  const reason = state.waiting?.reason;
  return reason ? `${which} is waiting to start: ${reason}` : `${which} is waiting to start - no logs yet`;
}

function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (each) => each.name === name,
  );
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/** No bytes, for as long as the container runs. */
async function* silence(
  { client, clock, random }: SimulatedLogsOptions,
  { pod, container, signal }: ContainerLogRequest,
): AsyncGenerator<Uint8Array, void> {
  const { name, namespace, uid } = pod.metadata;
  const ended = new AbortController();
  const end = () => ended.abort(new Error('the container ended, or the reader left'));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const informer = createInformer(client, Pod, { namespace, fields: `metadata.name=${name}`, clock, random });
  informer.subscribe(({ type, object }) => {
    if (type === 'deleted' || object.metadata.uid !== uid) end();
    else if (statusOf(object, container)?.state?.running === undefined) end();
  });
  const watching = informer.start(ended.signal);
  // It may be gone already, and then no event says so.
  await informer.synced.then(
    () => informer.store.get(`${namespace}/${name}`) ?? end(),
    () => {},
  );
  await watching;
  signal.removeEventListener('abort', end);
}
