/** The benchmarks of the client, side by side with `@kubernetes/client-node` on one real API server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import type { Clock } from '@keelson/core';
import { startKubernetes } from '@keelson/tools-kubernetes';
import type { Benchmark } from '../benchmark.ts';
import { publishClient } from '../stage/published.ts';
import { Stage } from '../stage/stage.ts';
import { temporaryFolder } from '../stage/temporary-folder.ts';
import { nameOf } from '../subjects/client/names.ts';
import { coldStart } from './cold-start.ts';
import { listAndCache } from './list-and-cache.ts';
import { populate } from './population.ts';
import { record } from './recording.ts';
import { sequentialGets } from './sequential-gets.ts';
import { Backlog } from './watch-throughput.ts';

const namespaces = Array.from({ length: 10 }, (_, index) => `shop-${index}`);
const perNamespace = 1000;
const namespace = 'shop-0';
const deploymentsPath = '/apis/apps/v1/deployments';
const streamedList = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

export async function* clientBenchmarks(clock: Clock): AsyncGenerator<Benchmark, void, undefined> {
  console.error('compiling the client');
  using published = publishClient();
  const stage = new Stage(join(published.subjects, 'client'), clock);
  using folder = temporaryFolder();
  // With controllers, each Deployment would get a ReplicaSet and pods, at the same time.
  await using kube = await startKubernetes({ clock, controllers: false });
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }), { clock });
  const client = createClient({ transport, clock, fieldManager: 'bench' });
  console.error('making 10,000 Deployments');
  for (const each of namespaces) await populate(client, { namespace: each, count: perNamespace });

  yield coldStart(stage, kube.kubeconfig, namespace);
  const one = await recordOne(client, join(folder.path, 'one.json'));
  yield sequentialGets(stage, kube.kubeconfig, namespace, one);
  const list = await record(
    join(folder.path, 'list.ndjson'),
    client.streamRaw(`${deploymentsPath}?${streamedList}`),
    (line) => line.startsWith('{"type":"BOOKMARK"') && line.includes('"k8s.io/initial-events-end":"true"'),
  );
  yield listAndCache(stage, kube.kubeconfig, list);

  console.error('making 5,000 changes');
  const kubeconfigFor = (server: string) => {
    const path = join(folder.path, `kubeconfig-${new URL(server).port}`);
    writeFileSync(path, readFileSync(kube.kubeconfig, 'utf8').replace(kube.server, server), { mode: 0o600 });
    return path;
  };
  await using backlog = new Backlog(stage, {
    client,
    server: kube.server,
    kubeconfigFor,
    namespace,
    deployments: perNamespace,
    file: join(folder.path, 'changes.ndjson'),
  });
  yield await backlog.benchmark();
}

async function recordOne(client: Client, file: string) {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${nameOf(0)}`;
  return await record(file, client.streamRaw(path, { accept: 'application/json' }), () => true);
}
