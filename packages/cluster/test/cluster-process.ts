/**
 * The embedded cluster in a process of its own, for whoever forked it: says its kubeconfig when it is ready, and what it
 * holds in memory, after a collection, when it is asked. It ends when its parent does.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ClusterLogger, createCluster, createControllers, type PodRule } from '../src/index.ts';
import { onlyNode } from './behaviour.ts';

/** What it says. */
export type Said = { readonly kubeconfig: string } | { readonly memory: NodeJS.MemoryUsage };

const say = (said: Said) => void process.send?.(said);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// What a registry would say of one image, and what another does: it waits, in Jobs too.
const pods: readonly PodRule[] = [
  { match: { image: 'webserver:404' }, fails: 'ImagePullBackOff' },
  { match: { image: '*/pause:*' }, exitCode: 0, exitAfterMs: 86_400_000 },
];
// A pass that failed is repeated; what else is wrong should be seen.
const warn: ClusterLogger['warn'] = (message, fields) => {
  if (message !== 'Sync failed') console.error(message, fields);
};
const cluster = createCluster({ node: { pods }, logger: { debug() {}, info() {}, warn } });
const { kubeconfig } = await cluster.listen();
await cluster.ready;
// Some specs want two nodes; pods of the second have no logs.
const second = createControllers({
  transport: cluster.transport,
  only: onlyNode,
  node: { name: 'second', pods },
  heartbeat: false,
});
void second.start(new AbortController().signal);
await second.synced;
process.on('message', () => {
  collect();
  say({ memory: process.memoryUsage() });
});
process.on('disconnect', () => process.exit());
say({ kubeconfig });
