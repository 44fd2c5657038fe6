/** What the types of the client promise: this compiles, or `npm run check` fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMetadataOnly, isSameKind, type Kind, type KubernetesObject, metadataOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap } from '@keelson/core/v1';
import type { Client } from './client.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>() => {};

/** Never called: only its types count. */
export async function promises(client: Client, dynamic: Kind): Promise<void> {
  const deployment = await client.get(Deployment, 'x/y');
  holds<Equal<typeof deployment, Deployment>>();
  const found = await client.find(Deployment, 'x/y');
  holds<Equal<typeof found, Deployment | undefined>>();
  const { items } = await client.list(ConfigMap);
  holds<Equal<typeof items, readonly ConfigMap[]>>();
  for await (const event of client.watch(ConfigMap))
    if (event.type === 'ADDED') holds<Equal<typeof event.object, ConfigMap>>();
  const deleted = await client.delete(Deployment, 'x/y');
  if (deleted.type === 'terminating') holds<Equal<typeof deleted.object, Deployment>>();

  // @ts-expect-error replicas is a number
  await client.patch(Deployment, 'x/y', { spec: { replicas: '3' } });
  // @ts-expect-error there is no such field
  await client.patch(Deployment, 'x/y', { spec: { replica: 3 } });
  await client.patch(Deployment, 'x/y', { spec: { replicas: null }, metadata: { labels: { a: null } } });
  // @ts-expect-error a Deployment needs a spec with a selector and a template
  await client.create(Deployment, { metadata: { name: 'y', namespace: 'x' }, spec: { replicas: 1 } });
  // @ts-expect-error an object needs a name, or asks for one
  await client.create(ConfigMap, { metadata: { namespace: 'x' } });
  // @ts-expect-error a status is not applied with the object
  await client.apply(Deployment, { metadata: { name: 'y' }, status: { replicas: 1 } });
  await client.applySubresource(Deployment, 'status', { metadata: { name: 'y' }, status: { replicas: 1 } });
  await client.update(Deployment, deployment);

  const anything = await client.get(dynamic, 'x/y');
  holds<Equal<typeof anything, KubernetesObject>>();
  await client.patch(dynamic, 'x/y', { spec: { whatever: [1, 2] } });
  await client.create(dynamic, { metadata: { name: 'y', namespace: 'x' }, spec: { whatever: true } });

  const named = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const byName = await client.get(named, 'x/y');
  holds<Equal<typeof byName, KubernetesObject>>();
  const byLiteral = await client.find({ group: 'example.com', version: 'v1', kind: 'Widget' }, 'x/y');
  holds<Equal<typeof byLiteral, KubernetesObject | undefined>>();
  await client.create(named, { metadata: { name: 'y', namespace: 'x' }, spec: { whatever: true } });
  await client.apply(named, { metadata: { name: 'y', namespace: 'x' }, spec: { whatever: true } });
  await client.update(named, { metadata: { name: 'y', namespace: 'x' }, spec: { whatever: true } });
  await client.patch(named, 'x/y', { spec: { whatever: [1, 2] } });
  await client.createSubresource(named, 'eviction', { metadata: { name: 'y' }, anything: 1 });
  for await (const page of client.pages(named)) holds<Equal<typeof page.items, readonly KubernetesObject[]>>();
  // @ts-expect-error a kind has a name
  await client.get({ group: 'example.com', version: 'v1' }, 'x/y');
  const made = await client.create(named, { spec: {} }); // a review, for one, has no metadata
  holds<Equal<typeof made, KubernetesObject>>();

  const metadata = await client.get(metadataOf(Deployment), 'x/y');
  // @ts-expect-error metadata has no spec
  metadata.spec;
}

test('the metadata of a kind is a kind of its own, and the same to the server', () => {
  const metadata = metadataOf(Deployment);
  assert.deepEqual([isMetadataOnly(metadata), isMetadataOnly(Deployment)], [true, false]);
  assert.ok(isSameKind(metadata, Deployment));
  assert.equal(metadata.resource, 'deployments');
});
