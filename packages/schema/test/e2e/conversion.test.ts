/** Conversion on real Kubernetes: what its API server makes of objects that are read in one version and written in another. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import type { JsonObject, Kind, KubernetesObject, NewKubernetesObject } from '@keelson/core';
import { crdOf } from '@keelson/schema';
import {
  availability,
  type ConversionWebhook,
  type Kubernetes,
  serveConversions,
  startKubernetes,
} from '@keelson/tools-kubernetes';
import { cacheStoredIn } from '../cache.ts';

interface Shown extends KubernetesObject {
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
}
type AnyVersion = Kind<Shown, NewKubernetesObject & { readonly spec?: JsonObject }>;

const annotation = 'cache.example.com/not-in-this-version';
const found = await availability();

describe('conversion on real Kubernetes', { skip: found.available ? false : found.reason }, () => {
  const Cache = cacheStoredIn('v1');
  const { group, kind, resource, scope } = Cache;
  const v1: AnyVersion = { group, kind, resource, scope, version: 'v1' };
  const v1alpha1: AnyVersion = { ...v1, version: 'v1alpha1' };
  const opened: AsyncDisposable[] = [];
  const use = <T extends AsyncDisposable>(each: T): T => {
    opened.push(each);
    return each;
  };
  let kube: Kubernetes;
  let client: Client;
  let webhook: ConversionWebhook;

  before(async () => {
    kube = use(await startKubernetes({ controllers: false }));
    assert.ok(Cache.conversion);
    webhook = use(await serveConversions(Cache.conversion));
    const transport = use(connect(await loadConfig({ kubeconfig: kube.kubeconfig })));
    client = createClient({ transport, fieldManager: 'tests' });
    await installDefinitions(client, [crdOf(Cache, { conversion: webhook.clientConfig })]);
  });
  after(async () => {
    for (const each of opened.reverse()) await each[Symbol.asyncDispose]();
  });

  const rich = { size: 7, workload: 'StatefulSet', memory: '1536Ki', ports: [{ port: 1, protocol: 'UDP' }] };

  async function created(name: string, spec: JsonObject = rich): Promise<string> {
    await client.create(v1, { metadata: { name, namespace: 'default' }, spec });
    return `default/${name}`;
  }

  const labelled = (shown: Shown, labels: Readonly<Record<string, string>>): Shown => ({
    ...shown,
    metadata: { ...shown.metadata, labels },
  });
  const patch = (spec: JsonObject) => ({ spec }) as never;
  const tooLarge = /spec\.size in body should be less than or equal to 5/;

  test('a value that an older version would refuse is shown there, and can be written back unchanged', async () => {
    const key = await created('seven');
    const shown = await client.get(v1alpha1, key);
    assert.deepEqual(shown.spec, { size: 7, megabytes: 1, ports: [{ port: 1 }] });
    const updated = await client.update(v1alpha1, labelled(shown, { by: 'update' }));
    const patched = await client.patch(v1alpha1, key, patch({ size: 7 }));
    const applied = await client.apply(
      v1alpha1,
      { metadata: { namespace: 'default', name: 'seven' }, spec: { size: 7 } },
      { force: true },
    );
    assert.deepEqual(
      [updated, patched, applied].map(({ spec }) => spec.size),
      [7, 7, 7],
    );
    assert.deepEqual((await client.get(v1, key)).spec, rich);
    await assert.rejects(client.patch(v1alpha1, key, patch({ size: 8 })), tooLarge);
    await assert.rejects(
      client.apply(v1alpha1, { metadata: { namespace: 'default', name: 'seven' }, spec: { size: 8 } }, { force: true }),
      tooLarge,
    );
    await assert.rejects(
      client.create(v1alpha1, { metadata: { namespace: 'default', name: 'eight' }, spec: { size: 8 } }),
      tooLarge,
    );
  });

  test('what an older version cannot say survives an update, a patch and an apply there', async () => {
    const key = await created('kept');
    const shown = await client.get(v1alpha1, key);
    await client.update(v1alpha1, { ...shown, spec: { ...shown.spec, size: 5 } });
    assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 5 });
    await client.patch(v1alpha1, key, patch({ size: 4 }));
    assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 4 });
    await client.patch(v1alpha1, key, [{ op: 'replace', path: '/spec/size', value: 3 }]);
    assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 3 });
    await client.apply(
      v1alpha1,
      { metadata: { namespace: 'default', name: 'kept' }, spec: { size: 2 } },
      { force: true },
    );
    const last = await client.get(v1, key);
    assert.deepEqual(last.spec, { ...rich, size: 2 });
    assert.equal(last.metadata.annotations, undefined); // v1 can say it all
    await client.patch(v1alpha1, key, patch({ megabytes: 3 }));
    assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 2, memory: '3Mi' });
  });

  test('kubectl edits, applies and replaces in an older version; only a replacement by a file of its own loses', async () => {
    const key = await created('kubectl');
    const file = join(kube.directory, 'cache.json');
    const write = (spec: JsonObject) =>
      writeFile(
        file,
        JSON.stringify({
          apiVersion: 'cache.example.com/v1alpha1',
          kind: 'Cache',
          metadata: { name: 'kubectl' },
          spec,
        }),
      );
    await write({ size: 4 });
    for (const args of [['apply'], ['apply', '--server-side', '--force-conflicts']]) {
      const { code, stderr } = await kube.kubectl(...args, '-f', file);
      assert.equal(code, 0, stderr);
      assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 4 });
    }
    const edited = await kube.kubectl(
      'patch',
      'caches.v1alpha1.cache.example.com/kubectl',
      '--type=merge',
      '-p',
      '{"spec":{"size":3}}',
    );
    assert.equal(edited.code, 0, edited.stderr);
    assert.deepEqual((await client.get(v1, key)).spec, { ...rich, size: 3 });
    const replaced = await kube.kubectl('replace', '-f', file);
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.deepEqual((await client.get(v1, key)).spec, { size: 4, workload: 'Deployment' });
  });

  test('an apply in one version is read in the other, and the next apply in that one takes back what it leaves out', async () => {
    const by = { fieldManager: 'applier', force: true };
    const metadata = { namespace: 'default', name: 'applied' };
    await client.apply(v1alpha1, { metadata, spec: { size: 2, megabytes: 64, pod: { labels: { a: 'b' } } } }, by);
    const first = await client.get(v1, 'default/applied');
    assert.deepEqual(first.spec, { size: 2, memory: '64Mi', workload: 'Deployment', pod: { labels: { a: 'b' } } });
    await client.apply(v1, { metadata, spec: { size: 3, memory: '65Mi', workload: 'StatefulSet' } }, by);
    const shown = await client.get(v1alpha1, 'default/applied');
    assert.deepEqual(shown.spec, { size: 3, megabytes: 65 });
    const managers = shown.metadata.managedFields?.map((each) => `${each.manager} ${each.apiVersion}`);
    assert.deepEqual(managers, ['applier cache.example.com/v1']);
    await client.apply(v1alpha1, { metadata, spec: { size: 4 } }, by);
    // What v1alpha1 can say is taken back; what it cannot, and has a default, is left as it is.
    assert.deepEqual((await client.get(v1, 'default/applied')).spec, { size: 4, workload: 'StatefulSet' });
  });

  test('the status of both versions is one', async () => {
    const key = await created('status');
    await client.patch(v1, key, { status: { pods: ['a'], phase: 'Running' } } as never, { subresource: 'status' });
    const shown = await client.get(v1alpha1, key);
    assert.deepEqual(shown.status, { nodes: ['a'] });
    await client.update(v1alpha1, { ...shown, status: { nodes: ['a', 'b'] } }, { subresource: 'status' });
    const { spec, status } = await client.get(v1, key);
    assert.deepEqual([spec, status], [rich, { pods: ['a', 'b'], phase: 'Running' }]);
  });

  test('what an annotation was edited to is judged by the schema', async () => {
    const key = await created('hostile');
    const text = JSON.stringify({
      v1: { kept: { spec: { workload: 'Job', notes: 7 } }, inferred: { spec: { workload: 'Deployment' } } },
    });
    await client.patch(v1alpha1, key, { metadata: { annotations: { [annotation]: text } } } as never);
    assert.deepEqual((await client.get(v1, key)).spec, {
      size: 7,
      workload: 'Deployment',
      memory: '1Mi',
      ports: [{ port: 1, protocol: 'TCP' }],
    });
    assert.ok(webhook.warnings.some((each) => each.includes('Unsupported value: "Job"')));
  });

  test('more than an annotation takes can be listed in an older version, and is not lost by writing there', async () => {
    const key = await created('large', { size: 2, workload: 'Deployment', notes: 'x'.repeat(300_000) });
    const { items } = await client.list(v1alpha1);
    const large = items.find(({ metadata }) => metadata.name === 'large');
    assert.deepEqual(large?.metadata.annotations, { [annotation]: '{"v1":"too large"}' });
    await assert.rejects(client.patch(v1alpha1, key, patch({ size: 3 })), /read and write it in v1$/);
    assert.equal((await client.patch(v1, key, patch({ size: 3 }))).spec.size, 3);
  });
});
