/** Both operators on a cluster in this process, with their samples, and what happens there told line by line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createSharedInformers, installDefinitions } from '@keelson/client';
import { createCluster } from '@keelson/cluster';
import { conditionOf, conversionClientConfig, type InputOf, type Kind } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { Pod } from '@keelson/core/v1';
import { Echo, echoOperator, runEchoOperator, ScheduledEcho, settingsFrom } from '@keelson/echo-operator';
import { Memcached, memcachedOperator } from '@keelson/memcached-operator';
import { createManager, textLogger } from '@keelson/runtime';
import { crdOf } from '@keelson/schema';
import { parse } from 'yaml';
import { inProcess, operatorNamespace } from './in-process.ts';
import {
  aboutCronJob,
  aboutCustomResource,
  aboutDeployment,
  aboutJob,
  aboutPod,
  type Line,
  painted,
} from './narrator.ts';
import { underOwnRules } from './own-rules.ts';

const samples = {
  memcached: new URL('../../operators/memcached/config/samples/cache_v1_memcached.yaml', import.meta.url),
  echo: new URL('../../operators/echo/config/samples/mmontes_v1alpha1_echo.yaml', import.meta.url),
  scheduledEcho: new URL('../../operators/echo/config/samples/mmontes_v1alpha1_scheduledecho.yaml', import.meta.url),
};

/** As most programs decide it: NO_COLOR and FORCE_COLOR before the terminal. */
const inColor = !process.env.NO_COLOR && (Boolean(process.env.FORCE_COLOR) || process.stdout.isTTY);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

export async function runEmbedded(signal: AbortSignal): Promise<void> {
  await using cluster = createCluster();
  await cluster.ready;
  await using listening = await cluster.listen();
  using kubeconfig = temporaryFile('kubeconfig', listening.kubeconfig);
  const client = createClient({ transport: cluster.transport, fieldManager: 'npm-start', signal });
  const conversion = conversionClientConfig(memcachedOperator, { namespace: operatorNamespace });
  const definitions = [crdOf(Memcached, { conversion }), crdOf(Echo), crdOf(ScheduledEcho)];
  await installDefinitions(client, definitions, { signal });
  print(instructions(listening.url, kubeconfig.path));

  // Their client has no signal: they are ended by being disposed of, and a watch that ends so is no failure to tell of.
  const watching = createClient({ transport: cluster.transport });
  await using informers = createSharedInformers({ client: watching, onError: (error) => print(error.message) });
  const show = (line: Line | undefined) => line && print(painted(line, inColor));
  informers
    .informer(Memcached)
    .subscribe((event) => show(aboutCustomResource(event, ({ spec }) => `size ${spec.size}`)), { signal });
  informers
    .informer(Echo)
    .subscribe((event) => show(aboutCustomResource(event, ({ spec }) => JSON.stringify(spec.message))), { signal });
  informers
    .informer(ScheduledEcho)
    .subscribe((event) => show(aboutCustomResource(event, ({ spec }) => spec.schedule)), { signal });
  informers.informer(Deployment).subscribe((event) => show(aboutDeployment(event)), { signal });
  informers.informer(Job).subscribe((event) => show(aboutJob(event)), { signal });
  informers.informer(CronJob).subscribe((event) => show(aboutCronJob(event)), { signal });
  informers.informer(Pod).subscribe((event) => show(aboutPod(event)), { signal });
  // One after the other, so that people can follow.
  const isAvailable = new Promise<void>((resolve) => {
    informers.informer(Memcached).subscribe(
      ({ object }) => {
        if (conditionOf(object, 'Available').status === 'True') resolve();
      },
      { signal },
    );
  });
  const logger = (name: string) =>
    textLogger({ name, clock: systemClock, write: (line) => void process.stdout.write(line), color: inColor });
  const make = async <K extends Kind>(kind: K, sample: URL) => {
    const { metadata, ...rest } = parse(await readFile(sample, 'utf8')) as InputOf<K>;
    await client.create(kind as Kind, { ...rest, metadata: { ...metadata, namespace: 'default' } } as InputOf<Kind>);
  };

  const webhooks = await inProcess(cluster, client, memcachedOperator);
  const manager = createManager(memcachedOperator, {
    webhooks: webhooks.door,
    transport: await underOwnRules(cluster, client, memcachedOperator),
    leaderElection: false,
    health: { host: '127.0.0.1', port: 8081, orFree: true },
    metrics: { host: '127.0.0.1', port: 8080, orFree: true },
    logger: logger(memcachedOperator.name),
    gracePeriodMs: 1000,
  });
  // When one of them fails, the other stops too; and nothing is taken away under either.
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const work: Promise<void>[] = [];
  const watched = (started: Promise<void>) => {
    started.catch((error: unknown) => failed.abort(error));
    work.push(started);
    return started;
  };
  try {
    const running = watched(manager.start(stop));
    await Promise.race([webhooks.opened, running]);
    await make(Memcached, samples.memcached);
    await Promise.race([isAvailable, running]);
    if (!stop.aborted) {
      const settings = settingsFrom({}, echoOperator.name);
      const logging = logger(echoOperator.name).with({ operator: echoOperator.name });
      const transport = await underOwnRules(cluster, client, echoOperator);
      const options = { transport, settings, clock: systemClock, random: systemRandom };
      void watched(runEchoOperator({ ...options, logger: logging }, stop));
      await make(Echo, samples.echo);
      await make(ScheduledEcho, samples.scheduledEcho);
    }
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    await Promise.allSettled(work);
  }
  await Promise.all(work);
}

const instructions = (url: string, kubeconfig: string) => `
A cluster answers at ${url}. In another terminal, with any kubectl:

  export KUBECONFIG=${kubeconfig}
  kubectl get memcacheds,deployments,pods
  kubectl patch memcached memcached-sample --type merge -p '{"spec":{"size":5}}'
  kubectl delete deployment memcached-sample
  kubectl get echos,scheduledechos,jobs,cronjobs
  kubectl logs job/hello-world-1

Pods are simulated here: nothing can be run in them, and of their commands only echo prints.
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
