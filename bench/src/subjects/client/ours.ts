/** The tasks done with `@keelson/client`. Arguments: the task, a kubeconfig, a namespace, how many. */
import { argv } from 'node:process';
import { Burst, countConnections, Meter, peakMb, tell, told, wholeCpuMs } from '../subject.ts';
import { nameOf } from './names.ts';

const [, , task, kubeconfig, namespace = '', count = ''] = argv;
const start = new Meter();
const { connect, createClient, createSharedInformers, loadConfig } = await import('@keelson/client');
const { Deployment } = await import('@keelson/core/apps/v1');
const client = createClient({ transport: connect(await loadConfig({ kubeconfig })) });
const readyMs = start.wallMs();

switch (task) {
  case 'start': {
    await client.get(Deployment, `${namespace}/${nameOf(0)}`);
    tell({ readyMs, answeredMs: start.wallMs() });
    break;
  }
  case 'gets': {
    const connections = countConnections();
    const work = new Meter();
    for (let i = 0; i < Number(count); i += 1) await client.get(Deployment, `${namespace}/${nameOf(i)}`);
    const [cpuMs, wallMs] = [work.cpuMs(), work.wallMs()];
    tell({ cpuMs, wallMs, wholeCpuMs: wholeCpuMs(), connections: connections() });
    break;
  }
  case 'list': {
    const work = new Meter();
    const { store, synced } = createSharedInformers({ client, onError: fail }).informer(Deployment);
    await synced;
    tell({
      cpuMs: work.cpuMs(),
      wallMs: work.wallMs(),
      wholeCpuMs: wholeCpuMs(),
      peakMb: peakMb(),
      cached: store.size,
    });
    break;
  }
  case 'watch': {
    const informer = createSharedInformers({ client, onError: () => {} }).informer(Deployment, { namespace }); // will be cut
    let burst: Burst | undefined;
    informer.subscribe(({ type }) => type === 'updated' && burst?.seen());
    await informer.synced;
    const go = told();
    tell({ cached: informer.store.size });
    await go;
    burst = new Burst(Number(count));
    tell({ listening: 1 });
    break;
  }
  default:
    throw new RangeError(`unknown task ${task}`);
}

function fail(error: Error): never {
  throw error;
}
