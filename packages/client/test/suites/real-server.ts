/** A real Kubernetes for the suites; with a node, where this machine can have one. */
import { systemClock } from '@keelson/core/system';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { loadConfig } from '../../src/index.ts';
import type { Offer, Server } from './server.ts';

const slow = 'a bookmark comes once a minute';

/** `pods`: also a node on which containers run, where there can be one. */
export async function realServer({ pods }: { readonly pods: boolean }): Promise<Offer> {
  const [plain, node] = [await availability({ pods: false }), await availability({ pods: true })];
  const hasNode = pods && node.available;
  const noNode = node.available ? 'this suite runs without a node' : node.reason;
  return {
    name: 'a real API server',
    skip: plain.available ? false : plain.reason,
    lacks: { minutes: slow, ...(hasNode ? {} : { pods: noNode, output: noNode }) },
    leaseMs: 4000,
    start: async () => serverOf(await startKubernetes({ pods: hasNode })),
  };
}

async function serverOf(kube: Kubernetes): Promise<Server> {
  let isAway = false;
  return {
    config: await loadConfig({ kubeconfig: kube.kubeconfig }),
    kubeconfig: kube.kubeconfig,
    configFor: async (user) => loadConfig({ kubeconfig: await kube.kubeconfigFor({ user }) }),
    clock: systemClock,
    async kill() {
      isAway = true;
      await kube.killApiServer();
    },
    async restart() {
      await kube.restartApiServer();
      isAway = false;
    },
    async compact() {
      await kube.compactEtcd();
      if (!isAway) await kube.restartApiServer(); // its caches still know what etcd has forgotten
    },
    suspend: () => kube.suspendApiServer(),
    resume: () => kube.resumeApiServer(),
    async kubectl(...args) {
      const { code, stdout, stderr } = await kube.kubectl(...args);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
      return stdout;
    },
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
