/** The embedded cluster in virtual time, for the cases that a real API server passes too. */
import { createClient } from '@keelson/client';
import { Node } from '@keelson/core/v1';
import { createCluster, createControllers } from '../src/index.ts';
import { nodes, onlyNode, type Server } from './behaviour.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

export async function startEmbeddedServer(): Promise<Server> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const cluster = createCluster({ clock, random, node: nodes.usual });
  const { transport } = cluster;
  const stop = new AbortController();
  const second = createControllers({
    transport,
    clock,
    random,
    only: onlyNode,
    node: nodes.stubborn,
    heartbeat: false,
  });
  const stopped = second.start(stop.signal);
  await cluster.ready;
  await second.synced;
  const client = createClient({ transport, clock, random, fieldManager: 'test' });
  await client.patch(Node, nodes.stubborn.name, { spec: { unschedulable: true } });
  return {
    client,
    isDeterministic: true,
    async eventually(what, check) {
      const deadline = clock.monotonic() + 120_000;
      for (;;) {
        const found = await check();
        if (found !== undefined && found !== false) return found;
        if (clock.monotonic() > deadline) throw new Error(`waited in vain for ${what}`);
        await clock.step(1000);
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
      await cluster[Symbol.asyncDispose]();
    },
  };
}
