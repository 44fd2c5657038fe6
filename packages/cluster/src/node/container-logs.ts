/**
 * The logs of the simulated node: what its containers were said to write, at the times at which they write it.
 *
 * Whether there is a log at all is said as a kubelet says it. Who follows one waits, as for any container, until it ends.
 */
import type { ContainerLog, ContainerLogRequest, ContainerLogs } from '@keelson/apiserver';
import { type Client, createInformer } from '@keelson/client';
import { type Clock, type Random, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Pod } from '@keelson/core/v1';
import type { Run } from './container-life.ts';
import { chosen, linesOf, shown } from './log-lines.ts';
import { statusNamed } from './pod-life.ts';

/** Finds what a container wrote, by the pod's uid. */
type FindRun = (uid: string, container: string, which: { readonly isPrevious: boolean }) => Run | undefined;

export interface SimulatedLogsOptions {
  readonly client: Client;
  /** The name of the node. */
  readonly node: string;
  readonly run: FindRun;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

/** What a container writes from now on, until it ends. */
export function outputOf(
  options: SimulatedLogsOptions,
  pod: Pod,
  container: string,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const all = { follow: true, previous: false, timestamps: false, limitBytes: undefined };
  const fromNow = { tailLines: 0, sinceSeconds: undefined, sinceTime: undefined };
  return limited(read(options, { ...all, ...fromNow, node: options.node, pod, container, signal }));
}

export function simulatedLogs(options: SimulatedLogsOptions): ContainerLogs {
  return (request) => {
    if (request.node !== options.node) return { type: 'unreachable' };
    const message = whyNoLog(request.pod, request.container, request.previous);
    if (message !== undefined) return { type: 'refused', message };
    return { type: 'log', bytes: limited(read(options, request), request.limitBytes) } satisfies ContainerLog;
  };
}

/** In the kubelet's words why a container has no log; `undefined` when it has one. */
export function whyNoLog(pod: Pod, name: string, previous: boolean): string | undefined {
  const which = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
  const status = statusNamed(pod, name);
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

async function* read(options: SimulatedLogsOptions, request: ContainerLogRequest): AsyncGenerator<string, void> {
  const { clock = systemClock, run: find } = options;
  const { uid } = request.pod.metadata;
  const which = { isPrevious: request.previous };
  const all = () => linesOf(find(uid, request.container, which) ?? nothing);
  const openedAt = clock.now();
  const isThere = ({ atMs }: { readonly atMs: number }) => atMs <= openedAt;
  for (const line of chosen(all().filter(isThere), request, openedAt)) yield shown(line, request);
  if (!request.follow) return;
  const end = new AbortController();
  const ended = untilEnd(options, request, end);
  const startedAt = find(uid, request.container, which)?.startedAtMs;
  try {
    for (const line of all().filter((each) => !isThere(each))) {
      await sleep(clock, line.atMs - clock.now(), end.signal).catch(() => {});
      const run = find(uid, request.container, which);
      // After a restart the log is that of another run; whoever wants it asks again.
      if (run?.startedAtMs !== startedAt || clock.now() < line.atMs) break;
      yield shown(line, request);
    }
    await ended;
  } finally {
    end.abort(new Error('the reader left'));
    await ended;
  }
}

const nothing: Run = { startedAtMs: 0, endedAtMs: undefined, output: [] };

async function* limited(
  text: AsyncIterable<string>,
  limitBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array, void> {
  let left = limitBytes;
  for await (const each of text) {
    const bytes = Buffer.from(each).subarray(0, left);
    yield bytes;
    left -= bytes.length;
    if (left <= 0) return;
  }
}

/** Resolves when the container has ended or the reader has left; `end` is aborted then. */
async function untilEnd(
  { client, clock, random }: SimulatedLogsOptions,
  { pod, container, signal }: ContainerLogRequest,
  ended: AbortController,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const end = () => ended.abort(new Error('the container ended, or the reader left'));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const informer = createInformer(client, Pod, { namespace, fields: `metadata.name=${name}`, clock, random });
  informer.subscribe(({ type, object }) => {
    if (type === 'deleted' || object.metadata.uid !== uid) end();
    else if (statusNamed(object, container)?.state?.running === undefined) end();
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
