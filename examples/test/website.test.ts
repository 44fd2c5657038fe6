/** The Website operator in virtual time: two replicas, a directory that answers in the process, and faults. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { conditionOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { Ingress } from '@keelson/core/networking/v1';
import { ConfigMap, Secret, Service } from '@keelson/core/v1';
import { type StartClusterOptions, startCluster } from '@keelson/testing';
import { Website } from '../website/api.ts';
import { websiteOperator } from '../website/operator.ts';

const key = 'default/a';
const metadata = { namespace: 'default', name: 'a' };
const site = { metadata, spec: { host: 'a.example', pages: { 'index.html': 'hello' } } };

/** The directory, in the process. */
function fakeDirectory() {
  const owners = new Map<string, string>();
  let failures = 0;
  return {
    owners,
    failNext: (count: number) => {
      failures = count;
    },
    async fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
      if (failures > 0) {
        failures -= 1;
        return new Response('down for maintenance', { status: 503 });
      }
      const host = new URL(String(input)).pathname.split('/').pop() ?? '';
      const owner = new Headers(init.headers).get('if-match') ?? '';
      if (init.method === 'PUT') owners.set(host, owner);
      if (init.method === 'DELETE' && owners.get(host) === owner) owners.delete(host);
      const found = owners.get(host);
      return found === undefined ? new Response('', { status: 404 }) : new Response(found);
    },
  };
}

async function start(options: StartClusterOptions = {}) {
  const directory = fakeDirectory();
  const cluster = await startCluster({ replicas: 2, ...options, operators: [websiteOperator(directory.fetch)] });
  const serves = (url = 'http://a.example/', limitMs?: number) =>
    cluster.eventually(
      Website,
      key,
      (object) => object.status?.url === url && conditionOf(object, 'Ready').status === 'True',
      limitMs,
    );
  return Object.assign(cluster, { directory, serves });
}

test('a Website becomes pages, servers, a Service, an Ingress and an entry in the directory', async () => {
  await using cluster = await start();
  const { metadata: made } = await cluster.client.create(Website, site);
  const { status } = await cluster.serves();
  assert.equal(status?.readyReplicas, 2);
  assert.equal((await cluster.client.get(ConfigMap, key)).data?.['index.html'], 'hello');
  assert.equal((await cluster.client.get(Service, key)).spec.ports?.[0]?.port, 80);
  assert.equal((await cluster.client.get(Ingress, key)).spec?.rules?.[0]?.host, 'a.example');
  assert.equal(cluster.directory.owners.get('a.example'), made.uid);
  await cluster.clock.advance(1000);
  const { items } = await cluster.client.list(Event);
  assert.ok(items.some(({ note }) => note === 'a.example is in the directory'));
});

test('other pages roll the servers', async () => {
  await using cluster = await start();
  await cluster.client.create(Website, site);
  await cluster.serves();
  const contentOf = async () =>
    (await cluster.client.get(Deployment, key)).spec.template.metadata?.annotations?.['web.example.com/content'];
  const before = await contentOf();
  await cluster.client.patch(Website, key, { spec: { pages: { 'index.html': 'goodbye' } } });
  await cluster.eventually(ConfigMap, key, ({ data }) => data?.['index.html'] === 'goodbye');
  assert.notEqual(await contentOf(), before);
  await cluster.eventually(Deployment, key, ({ status }) => status.updatedReplicas === 2);
});

test('the Secret that it names brings HTTPS when it comes, and takes it when it goes', async () => {
  await using cluster = await start();
  await cluster.client.create(Website, { ...site, spec: { ...site.spec, tlsSecret: 'tls' } });
  const waiting = (object: Parameters<typeof conditionOf>[0]) =>
    conditionOf(object, 'Ready').reason === 'SecretMissing';
  await cluster.eventually(Website, key, waiting);
  await cluster.client.create(Secret, { metadata: { ...metadata, name: 'tls' } });
  await cluster.serves('https://a.example/', 10_000);
  assert.equal((await cluster.client.get(Ingress, key)).spec?.tls?.[0]?.secretName, 'tls');
  await cluster.client.delete(Secret, 'default/tls');
  await cluster.eventually(Website, key, waiting, 10_000);
});

test('an entry that is lost outside the cluster is made again within a minute', async () => {
  await using cluster = await start();
  await cluster.client.create(Website, site);
  await cluster.serves();
  cluster.directory.owners.clear();
  await cluster.clock.advance(60_000);
  assert.equal(cluster.directory.owners.size, 1);
});

test('it goes only after the directory has let it go', async () => {
  await using cluster = await start();
  await cluster.client.create(Website, site);
  await cluster.serves();
  cluster.directory.failNext(3);
  await cluster.client.delete(Website, key);
  assert.ok(await cluster.client.find(Website, key), 'the finalizer holds it');
  await cluster.eventuallyGone(Website, key);
  assert.equal(cluster.directory.owners.size, 0);
  await cluster.eventuallyGone(Deployment, key);
});

test('with faults, and a leader that crashes at each step, it comes to the same end', async () => {
  await using cluster = await start({ faults: { fail: 0.05, lose: 0.05, delay: 0.05, cut: 0.05 }, seed: 3 });
  await cluster.client.create(Website, site);
  for (const [i, replica] of cluster.replicas.entries()) {
    await cluster.clock.advance(20_000);
    replica.crash();
    await cluster.client.patch(Website, key, { spec: { replicas: 3 + i } });
    await cluster.clock.advance(30_000);
    await replica.start();
  }
  cluster.directory.failNext(5);
  cluster.faults.pause();
  const { status } = await cluster.eventually(
    Website,
    key,
    (object) => object.status?.readyReplicas === 4 && conditionOf(object, 'Ready').status === 'True',
  );
  assert.equal(status?.url, 'http://a.example/');
  assert.equal(cluster.directory.owners.size, 1);
  cluster.faults.resume();
  await cluster.client.delete(Website, key);
  await cluster.eventuallyGone(Website, key);
  assert.equal(cluster.directory.owners.size, 0);
});

test('the program says how it is run', async () => {
  const main = fileURLToPath(new URL('../website/main.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--help']);
  assert.match(stdout, /--directory TEXT +The directory of host names\./);
});
