/** The operator on a cluster in this process, with a sample, and what happens there told line by line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createSharedInformers, installDefinitions } from '@keelson/client';
import { createCluster } from '@keelson/cluster';
import { Deployment } from '@keelson/core/apps/v1';
import { systemClock } from '@keelson/core/system';
import { Pod } from '@keelson/core/v1';
import { Memcached, memcachedOperator, type NewMemcached } from '@keelson/memcached-operator';
import { createManager, textLogger } from '@keelson/runtime';
import { crdOf } from '@keelson/schema';
import { parse } from 'yaml';
import { aboutDeployment, aboutMemcached, aboutPod, type Line, painted } from './narrator.ts';

const sample = new URL('../../operators/memcached/config/samples/cache_v1alpha1_memcached.yaml', import.meta.url);

/** As most programs decide it: NO_COLOR and FORCE_COLOR before the terminal. */
const inColor = !process.env.NO_COLOR && (Boolean(process.env.FORCE_COLOR) || process.stdout.isTTY);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

export async function runEmbedded(signal: AbortSignal): Promise<void> {
  await using cluster = createCluster();
  await cluster.ready;
  await using listening = await cluster.listen();
  using kubeconfig = temporaryFile('kubeconfig', listening.kubeconfig);
  const client = createClient({ transport: cluster.transport, fieldManager: 'npm-start', signal });
  await installDefinitions(client, [crdOf(Memcached)], { signal });
  print(instructions(listening.url, kubeconfig.path));

  // Their client has no signal: they are ended by being disposed of, and a watch that ends so is no failure to tell of.
  const watching = createClient({ transport: cluster.transport });
  await using informers = createSharedInformers({ client: watching, onError: (error) => print(error.message) });
  const show = (line: Line | undefined) => line && print(painted(line, inColor));
  informers.informer(Memcached).subscribe((event) => show(aboutMemcached(event)), { signal });
  informers.informer(Deployment).subscribe((event) => show(aboutDeployment(event)), { signal });
  informers.informer(Pod).subscribe((event) => show(aboutPod(event)), { signal });

  const manager = createManager(memcachedOperator, {
    transport: cluster.transport,
    health: { host: '127.0.0.1', port: 8081, orFree: true },
    metrics: { host: '127.0.0.1', port: 8080, orFree: true },
    logger: textLogger({
      name: memcachedOperator.name,
      clock: systemClock,
      write: (line) => void process.stdout.write(line),
      color: inColor,
    }),
    gracePeriodMs: 1000,
  });
  const running = manager.start(signal);
  await client.create(Memcached, {
    ...(await readSample()),
    metadata: { name: 'memcached-sample', namespace: 'default' },
  });
  await running;
}

async function readSample(): Promise<NewMemcached> {
  return parse(await readFile(sample, 'utf8')) as NewMemcached;
}

const instructions = (url: string, kubeconfig: string) => `
A cluster answers at ${url}. In another terminal, with any kubectl:

  export KUBECONFIG=${kubeconfig}
  kubectl get memcacheds,deployments,pods
  kubectl patch memcached memcached-sample --type merge -p '{"spec":{"size":5}}'
  kubectl delete deployment memcached-sample

Pods are simulated here: they have no logs, and nothing can be run in them.
Ctrl-C stops everything and removes the kubeconfig.
`;

/** A file that only its owner can read, gone with the process however that ends, short of SIGKILL. */
function temporaryFile(name: string, text: string): Disposable & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-'));
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove);
      remove();
    },
  };
}
