/** `keelson migrate` of ten thousand objects on real Kubernetes, killed twice in the middle. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Client, connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import { type Kind, metadataOf, sleep } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { crdOf, defineKind } from '@keelson/schema';
import { availability, serveConversions, startKubernetes } from '@keelson/tools-kubernetes';
import { z } from 'zod';

const found = await availability();
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const count = 10_000;
const name = 'caches.migrate.example.com';

const cacheStoredIn = (stored: 'v1alpha1' | 'v1') =>
  defineKind({
    group: 'migrate.example.com',
    kind: 'Cache',
    hub: 'v1',
    versions: {
      v1alpha1: { storage: stored === 'v1alpha1', spec: z.object({ size: z.int32(), old: z.string().optional() }) },
      v1: { storage: stored === 'v1', spec: z.object({ replicas: z.int32(), note: z.string().default('none') }) },
    },
    conversions: {
      v1alpha1: {
        toHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
        fromHub: ({ spec }) => ({ spec: { size: spec.replicas } }),
      },
    },
  });

/** Ends the command by SIGKILL when it has told of so many objects; resolves to what it printed. */
async function migrate(kubeconfig: string, killAfter?: number): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [main, 'migrate', name, '--kubeconfig', kubeconfig, '--output', 'json']);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const done = Number(/: (\d+) of/.exec(text)?.[1] ?? 0);
    if (killAfter !== undefined && done >= killAfter) child.kill('SIGKILL');
  });
  const [code] = await once(child, 'close');
  return { code, out };
}

test('ten thousand objects are migrated once each, although the command is killed twice', {
  skip: found.available ? false : found.reason,
}, async (t) => {
  await using kube = await startKubernetes({ controllers: false });
  const [before, after] = [cacheStoredIn('v1alpha1'), cacheStoredIn('v1')];
  assert.ok(before.conversion);
  await using webhook = await serveConversions(before.conversion);
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test', timeoutMs: 600_000 });
  const conversion = webhook.clientConfig;
  await installDefinitions(client, [crdOf(before, { conversion })]);
  await createAll(client, { ...before, version: 'v1alpha1' });
  await installDefinitions(client, [crdOf(after, { conversion })]);
  const { resourceVersion } = await client.list(metadataOf(after));
  const stop = new AbortController();
  const writes = new Map<string, number>();
  const watching = countWrites(client, after, resourceVersion, writes, stop.signal);

  const begun = systemClock.monotonic();
  for (const killAfter of [count * 0.2, count * 0.3])
    assert.equal((await migrate(kube.kubeconfig, killAfter)).code, null);
  const rest = count - writes.size;
  assert.ok(rest > 0 && rest < count * 0.8, `${rest} are left`);
  const { code, out } = await migrate(kube.kubeconfig);
  assert.equal(code, 0);
  const seconds = ((systemClock.monotonic() - begun) / 1000).toFixed(0);
  const [{ objects, rewritten, result }] = JSON.parse(out).definitions;
  t.diagnostic(`${count} objects in ${seconds} s; the third run rewrote ${rewritten} of ${objects}`);
  assert.deepEqual([result, rewritten], ['migrated', objects]);

  while (writes.size < count) await sleep(systemClock, 100);
  stop.abort();
  await watching;
  assert.equal(writes.size, count);
  assert.deepEqual(new Set(writes.values()), new Set([1]), 'written once each');
  const { status, metadata } = await client.get(CustomResourceDefinition, name);
  assert.deepEqual(status?.storedVersions, ['v1']);
  assert.equal(metadata.annotations, undefined);

  // Without v1alpha1, and without anybody who converts, all can be read: nothing is stored in it.
  const { v1 } = after.definition.versions;
  const alone = defineKind({ group: 'migrate.example.com', kind: 'Cache', hub: 'v1', versions: { v1: v1 as never } });
  await client.patch(CustomResourceDefinition, name, { spec: { conversion: null } });
  await client.patch(CustomResourceDefinition, name, { spec: { versions: crdOf(alone).spec.versions } });
  const all = await client.list<Kind>(after);
  assert.equal(all.items.length, count);
});

/** How often each object is written, until the signal; a watch that ends is taken up where it ended. */
async function countWrites(
  client: Client,
  kind: Kind,
  since: string,
  writes: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  let resourceVersion = since;
  try {
    while (!signal.aborted) {
      for await (const event of client.watch(metadataOf(kind), { resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        const { name: object, resourceVersion: now } = event.object.metadata;
        resourceVersion = now;
        writes.set(object, (writes.get(object) ?? 0) + 1);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function createAll(client: Client, kind: Kind): Promise<void> {
  const waiting = Array.from({ length: count }, (_, i) => i).values();
  const work = async () => {
    for (const i of waiting) {
      const object = { metadata: { namespace: 'default', name: `cache-${i}` }, spec: { size: i, old: `${i}` } };
      await client.create(kind, object as never);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
