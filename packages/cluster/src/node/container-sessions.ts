/**
 * Exec and attach on the simulated node: a test answers them, or they say in words what a simulated pod is.
 *
 * Whether there is a container to go into is said as a kubelet says it. Who attaches sees what the container writes, until
 * it ends. What a test runs in a container ends with it, too, as if it had been killed.
 */
import type { ContainerSession, ContainerSessionRequest, ContainerSessions, SessionStreams } from '@keelson/apiserver';
import type { Pod } from '@keelson/core/v1';
import type { PodSession, SessionHandler } from '../pods/sessions.ts';
import { statusNamed } from './pod-life.ts';

export interface SimulatedSessionsOptions {
  /** The name of the node. */
  readonly node: string;
  /** Who answers, if anyone does. */
  readonly handler: (type: ContainerSessionRequest['type']) => SessionHandler | undefined;
  /** What a container writes from now on, until it ends or the signal is aborted. */
  readonly output: (pod: Pod, container: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export function simulatedSessions({ node, handler, output }: SimulatedSessionsOptions): ContainerSessions {
  return (request): ContainerSession => {
    if (request.node !== node) return { type: 'unreachable' };
    const { pod, container, type } = request;
    if (statusNamed(pod, container)?.state?.running === undefined) {
      return { type: 'refused', message: `container not found (${JSON.stringify(container)})` };
    }
    const run = async (io: SessionStreams) => {
      const answer = handler(type);
      const written = (signal: AbortSignal) => output(pod, container, signal);
      const answered = answer && (await whileItRuns(io, written, (streams) => answer(sessionOf(request, streams))));
      if (answered !== undefined) return answered;
      io.stderr.write(inWords(request));
      if (type === 'exec') return 126; // as a shell says that something cannot be executed
      for await (const chunk of output(pod, container, io.signal)) io.stdout.write(chunk);
      return 0;
    };
    return { type: 'session', run };
  };
}

/** The answer, or the code of a process that was killed if the container ends before. */
async function whileItRuns(
  io: SessionStreams,
  written: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  answer: (streams: SessionStreams) => ReturnType<SessionHandler>,
): Promise<number | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  const ended = async () => {
    for await (const _ of written(signal));
    over.abort(new Error('the container ended'));
    return 137;
  };
  try {
    return await Promise.race([answer({ ...io, signal }), ended()]);
  } finally {
    over.abort(new Error('the session is over'));
  }
}

const sessionOf = ({ pod, container, command, tty }: ContainerSessionRequest, io: SessionStreams): PodSession => ({
  pod,
  container,
  command,
  tty,
  ...io,
});

function inWords({ type, pod, container }: ContainerSessionRequest): string {
  const what = type === 'exec' ? 'nothing can be run in it' : 'it takes no input';
  const hint = `a test can answer: cluster.pods.${type === 'exec' ? 'onExec' : 'onAttach'}(…)`;
  return `The container ${container} of pod ${pod.metadata.name} is simulated: no process runs, and ${what}; ${hint}.\n`;
}
