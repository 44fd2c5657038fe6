/**
 * A node for a real control plane whose pods only pretend: that of the embedded cluster.
 *
 * An entry of its own: the embedded cluster takes longer to import than all that this package has.
 */
import { createControllers } from '@keelson/cluster';
import type { Transport } from '@keelson/core';

/** Has pods run on a simulated node until it is disposed; resolves when the node knows the cluster. */
export async function startSimulatedNode(transport: Transport): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const node = createControllers({ transport, only: ['node'] });
  const stopped = node.start(stop.signal);
  await node.synced;
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
    },
  };
}
