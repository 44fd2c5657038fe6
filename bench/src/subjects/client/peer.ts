/** The tasks done with `@kubernetes/client-node`, in the way of its examples. Arguments: as those of ours. */
import { argv } from 'node:process';
import { Burst, countConnections, Meter, peakMb, tell, told, wholeCpuMs } from '../subject.ts';
import { nameOf } from './names.ts';

const [, , task, kubeconfig = '', namespace = '', count = ''] = argv;
const start = new Meter();
const { AppsV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(AppsV1Api);
const readyMs = start.wallMs();

switch (task) {
  case 'start': {
    await api.readNamespacedDeployment({ namespace, name: nameOf(0) });
    tell({ readyMs, answeredMs: start.wallMs() });
    break;
  }
  case 'gets': {
    const connections = countConnections();
    const work = new Meter();
    for (let i = 0; i < Number(count); i += 1) await api.readNamespacedDeployment({ namespace, name: nameOf(i) });
    const [cpuMs, wallMs] = [work.cpuMs(), work.wallMs()];
    tell({ cpuMs, wallMs, wholeCpuMs: wholeCpuMs(), connections: connections() });
    break;
  }
  case 'list': {
    const work = new Meter();
    const informer = makeInformer(config, '/apis/apps/v1/deployments', () => api.listDeploymentForAllNamespaces());
    informer.on('error', fail);
    await informer.start(); // resolves when the list is cached and the watch is asked for
    const figures = { cpuMs: work.cpuMs(), wallMs: work.wallMs(), wholeCpuMs: wholeCpuMs(), peakMb: peakMb() };
    tell({ ...figures, cached: informer.list().length });
    break;
  }
  case 'watch': {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const informer = makeInformer(config, path, () => api.listNamespacedDeployment({ namespace }));
    let burst: Burst | undefined;
    informer.on('update', () => burst?.seen());
    const stopped = new Promise<void>((resolve) => void informer.on('error', () => resolve()));
    await informer.start();
    const go = told();
    tell({ cached: informer.list().length });
    await Promise.all([stopped, go]);
    burst = new Burst(Number(count));
    tell({ listening: 1 });
    await informer.start(); // as its example does after an error; it goes on where it was
    break;
  }
  default:
    throw new RangeError(`unknown task ${task}`);
}

function fail(error: unknown): never {
  throw error;
}
