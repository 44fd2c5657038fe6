/** Defines a kind, installs its CRD, and writes an object: types, defaults and validation come from one value. */
import { connect, createClient, loadConfig } from '@keelson/client';
import { isInvalid, type ObjectOf } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { conditions, crdOf, defineKind } from '@keelson/schema';
import { z } from 'zod';

const Website = defineKind({
  group: 'web.example.com',
  kind: 'Website',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ host: z.hostname(), replicas: z.int32().min(1).max(9).default(2) }),
      status: z.object({ conditions: conditions('Ready') }),
    },
  },
});

await using transport = connect(await loadConfig());
const client = createClient({ transport, fieldManager: 'define-a-kind' });
const { metadata: crd } = await client.apply(CustomResourceDefinition, crdOf(Website));
for await (const event of client.watch(CustomResourceDefinition, { fields: `metadata.name=${crd.name}` })) {
  const found = event.type === 'MODIFIED' || event.type === 'ADDED' ? event.object.status?.conditions : undefined;
  if (found?.some(({ type, status }) => type === 'Established' && status === 'True')) break;
}

const metadata = { namespace: 'default', name: 'blog' };
const blog: ObjectOf<typeof Website> = await client.apply(Website, { metadata, spec: { host: 'blog.example.com' } });
console.log(`${blog.spec.host} has ${blog.spec.replicas} replicas`); // a number: the default was filled in
try {
  await client.apply(Website, { metadata, spec: { host: 'blog.example.com', replicas: 10 } });
} catch (error) {
  if (!isInvalid(error)) throw error;
  console.log(error.status.details?.causes?.[0]?.message);
}
