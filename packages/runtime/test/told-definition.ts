/** A definition that converts by a webhook is told whom to trust, on whichever server. */
import assert from 'node:assert/strict';
import type { Client } from '@keelson/client';
import { isConflict } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { type Told, tell } from '../src/certificates/trusting-objects.ts';

export async function definitionIsTold(client: Client): Promise<void> {
  const name = 'gadgets.told.example.com';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } as const;
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
  const spec = {
    group: 'told.example.com',
    names: { kind: 'Gadget', plural: 'gadgets' },
    scope: 'Namespaced',
    versions: [version('v1', true), version('v2', false)],
  } as const;
  const clientConfig = { service: { namespace: 'web-system', name: 'web-webhook', path: '/convert', port: 443 } };
  const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
  const object = { kind: CustomResourceDefinition, name };
  const caBundle = Buffer.from(createAuthority(systemRandom).certificate).toString('base64');

  // The server writes into a new definition itself, how it gets on with it; who is met by that tries again, as the engine does.
  const telling = async (): Promise<Told> => {
    for (;;) {
      try {
        return await tell(client, object, caBundle);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  };
  assert.equal(await telling(), 'absent');
  assert.equal(await client.find(CustomResourceDefinition, name), undefined, 'and nothing is made');
  await client.apply(CustomResourceDefinition, { metadata: { name }, spec });
  assert.equal(await telling(), 'calls-none');
  const wanted = { metadata: { name }, spec: { ...spec, conversion: { strategy: 'Webhook' as const, webhook } } };
  const before = await client.apply(CustomResourceDefinition, wanted);
  assert.equal(await telling(), 'written');
  assert.equal(await telling(), 'known');
  const told = await client.get(CustomResourceDefinition, name);
  const trusting = { ...webhook, clientConfig: { ...clientConfig, caBundle } };
  assert.deepEqual(told.spec, { ...before.spec, conversion: { strategy: 'Webhook', webhook: trusting } });
  const again = await client.apply(CustomResourceDefinition, wanted);
  assert.deepEqual(again.spec, told.spec, 'who applies the manifest again changes nothing of it');
}
