/** What an operator that is asked outside of its cluster changes there, and that all of it is put back. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type Client, createClient, installDefinitions } from '@keelson/client';
import { type Cluster, createCluster } from '@keelson/cluster';
import { operator } from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { CustomResourceDefinition, type WebhookClientConfig } from '@keelson/core/apiextensions/v1';
import { Service } from '@keelson/core/v1';
import { controller, done } from '@keelson/runtime';
import { answerOutside, endOutside } from '@keelson/runtime/outside';
import { crdOf, defineKind } from '@keelson/schema';
import { z } from 'zod';

const group = 'caches.example.com';
const name = `caches.${group}`;
const [small, large] = [z.object({ size: z.int32() }), z.object({ size: z.int32(), extra: z.string().optional() })];
/** The release before. */
const Former = defineKind({ group, kind: 'Cache', hub: 'v1', versions: { v1: { storage: true, spec: small } } });
const Cache = defineKind({
  group,
  kind: 'Cache',
  hub: 'v2',
  versions: { v1: { spec: small }, v2: { storage: true, spec: large } },
  conversions: { v1: {} },
});
const caches = operator({
  name: 'caches',
  controllers: [controller({ for: Cache, reconcile: async () => done })],
});
const definitions = (conversion: WebhookClientConfig) => [crdOf(Cache, { conversion })];
const url = 'https://127.0.0.1:9443';
const service = { namespace: 'caches-system', name: 'caches-webhook', path: '/convert', port: 443 };

const lend = (client: Client, owner = 'me', at = url) => answerOutside(caches, { client, url: at, definitions, owner });

async function clientOf({ ready, transport }: Cluster): Promise<Client> {
  await ready;
  return createClient({ transport, fieldManager: 'test' });
}

/** What a definition says of its versions: who converts, which are served, which is stored. */
async function stateOf(client: Client) {
  const { metadata, spec } = await client.get(CustomResourceDefinition, name);
  const { strategy, webhook } = spec.conversion ?? {};
  return {
    by: webhook?.clientConfig?.url ?? webhook?.clientConfig?.service?.name ?? strategy,
    trusts: webhook?.clientConfig?.caBundle !== undefined,
    served: spec.versions.filter((each) => each.served).map((each) => each.name),
    stored: spec.versions.find((each) => each.storage)?.name,
    annotations: Object.keys(metadata.annotations ?? {}),
  };
}

const lentState = { by: `${url}/convert`, trusts: true, served: ['v1', 'v2'], annotations: ['keelson-run/conversion'] };
const quiet = { trusts: false, annotations: [] };

test('a definition that was not there is converted here, and afterwards serves what needs no conversion', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  {
    await using outside = await lend(client);
    assert.deepEqual(outside.told, [name]);
    assert.equal(outside.webhooks.port, 9443);
    assert.deepEqual(await stateOf(client), { ...lentState, stored: 'v2' });
  }
  assert.deepEqual(await stateOf(client), { ...quiet, by: 'None', served: ['v2'], stored: 'v2' });
});

test('a definition without conversion keeps its stored version, and gets back what it served', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  await installDefinitions(client, [crdOf(Former)]);
  {
    await using _ = await lend(client);
    assert.deepEqual(await stateOf(client), { ...lentState, stored: 'v1' });
  }
  assert.deepEqual(await stateOf(client), { ...quiet, by: 'None', served: ['v1'], stored: 'v1' });
});

test('what a crash has left is taken over by the next run of its owner, and put back by it', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  await installDefinitions(client, [crdOf(Former)]);
  await lend(client); // never disposed of
  {
    await using _ = await lend(client, 'me', 'https://127.0.0.1:9444');
    assert.equal((await stateOf(client)).by, 'https://127.0.0.1:9444/convert');
  }
  assert.deepEqual(await stateOf(client), { ...quiet, by: 'None', served: ['v1'], stored: 'v1' });
  await lend(client);
  await endOutside(client, caches, 'another');
  assert.equal((await stateOf(client)).by, `${url}/convert`, 'it is not theirs');
  await endOutside(client, caches, 'me');
  assert.equal((await stateOf(client)).by, 'None');
});

test('a Service that is not there converts for nobody, and is named again afterwards', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  await installDefinitions(client, definitions({ service, caBundle: btoa('old') }));
  {
    await using _ = await lend(client);
    assert.deepEqual(await stateOf(client), { ...lentState, stored: 'v2' });
  }
  const after = { by: 'caches-webhook', served: ['v1', 'v2'], stored: 'v2' };
  assert.deepEqual(await stateOf(client), { ...quiet, ...after });
});

test('what others have converted, by a Service or at a URL, stays as it is', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  await lend(client, 'colleague');
  await assert.rejects(
    lend(client),
    /^Error: caches\.caches\.example\.com is converted at https:\/\/127\.0\.0\.1:9443\/convert, by colleague; others use it, so it stays so$/,
  );
  await endOutside(client, caches, 'colleague');
  const foreign = { url: 'https://converter.example.com/convert' };
  await client.patch(CustomResourceDefinition, name, {
    spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: foreign, conversionReviewVersions: ['v1'] } } },
  });
  const before = await client.get(CustomResourceDefinition, name);
  await assert.rejects(lend(client), /is converted at https:\/\/converter\.example\.com\/convert; others use it/);
  await client.create(Service, {
    metadata: { name: 'caches-webhook', namespace: 'default' },
    spec: { ports: [{ port: 443 }] },
  });
  assert.deepEqual(await client.get(CustomResourceDefinition, name), before);
  await client.patch(CustomResourceDefinition, name, {
    spec: {
      conversion: {
        webhook: { clientConfig: { url: null, service: { namespace: 'default', name: 'caches-webhook' } } },
      },
    },
  });
  await assert.rejects(lend(client), /is converted by the Service default\/caches-webhook; others use it/);
});

test('what was lent goes back when the rest cannot be told', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  const refused = operator({
    ...caches,
    webhooks: [
      { for: Cache, defaults: false, validates: true, matchConditions: [{ name: 'broken', expression: 'no CEL (' }] },
    ],
  });
  await assert.rejects(answerOutside(refused, { client, url, definitions, owner: 'me' }), /matchConditions/);
  assert.equal((await stateOf(client)).by, 'None');
  const configurations = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const kind of configurations) assert.deepEqual((await client.list(kind)).items, []);
});

test('a URL that the API server cannot use is refused, and so is an operator that is never asked', async () => {
  await using cluster = createCluster();
  const client = await clientOf(cluster);
  for (const wrong of ['http://a:1', 'a:1', 'https://a:1/path', 'https://a:1?x=y', 'https://me@a:1', '']) {
    await assert.rejects(lend(client, 'me', wrong), /^RangeError: ".*" is no https:\/\/HOST:PORT$/);
  }
  const silent = operator({ name: 'quiet', controllers: [{ for: Service }] });
  await assert.rejects(
    answerOutside(silent, { client, url, definitions }),
    /^RangeError: quiet has neither webhooks nor conversions$/,
  );
  await using outside = await lend(client, 'me', 'https://[::1]');
  assert.equal(outside.webhooks.port, 443, 'the port of HTTPS unless it is said');
  assert.equal((await stateOf(client)).by, 'https://[::1]/convert');
  const { certificate = '' } = outside.webhooks.tls as { readonly certificate?: string };
  assert.equal(new X509Certificate(certificate).subjectAltName, 'IP Address:0:0:0:0:0:0:0:1');
});
