/**
 * Port-forward on the simulated node: a test answers, or it is said in words that nothing listens there.
 *
 * A connection ends with the pod's containers.
 */
import type { PodPorts, PortConnection } from '@keelson/apiserver';
import type { Pod } from '@keelson/core/v1';
import type { PortHandler } from '../pods/sessions.ts';
import type { SimulatedSessionsOptions } from './container-sessions.ts';

export interface SimulatedPortsOptions extends Pick<SimulatedSessionsOptions, 'node' | 'output'> {
  /** Who answers, if anyone does. */
  readonly handler: () => PortHandler | undefined;
}

const inWords =
  'port-forward (pods of this cluster are simulated, and nothing listens in them; a test can answer: cluster.pods.onPortForward(…))';

export function simulatedPorts({ node, handler, output }: SimulatedPortsOptions): PodPorts {
  return ({ node: wanted, pod }) => {
    if (wanted !== node) return { type: 'unreachable' };
    const answer = handler();
    if (answer === undefined) return { type: 'unanswered', what: inWords };
    if (pod.status.phase !== 'Running') return { type: 'refused', message: `pod ${pod.metadata.name} is not running` };
    const connect = (connection: PortConnection) =>
      whileItRuns(connection, pod, output, (alive) => answer({ ...alive, pod }));
    return { type: 'ports', connect };
  };
}

async function whileItRuns(
  connection: PortConnection,
  pod: Pod,
  output: SimulatedPortsOptions['output'],
  answer: (connection: PortConnection) => unknown,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([connection.signal, over.signal]);
  const ended = async () => {
    const containers = pod.spec.containers.map(async ({ name }) => {
      for await (const _ of output(pod, name, signal));
    });
    await Promise.all(containers);
    over.abort(new Error('the pod ended'));
  };
  try {
    await Promise.race([answer({ ...connection, signal }), ended()]);
  } finally {
    over.abort(new Error('the connection is over'));
  }
}
