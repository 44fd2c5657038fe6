/** The samples of both operators: the API server takes each of them as it stands. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createClient, installDefinitions } from '@keelson/client';
import { createCluster } from '@keelson/cluster';
import type { InputOf, Kind } from '@keelson/core';
import { Echo, ScheduledEcho } from '@keelson/echo-operator';
import { Memcached } from '@keelson/memcached-operator';
import { crdOf } from '@keelson/schema';
import { parse } from 'yaml';

const operators = new URL('../../operators/', import.meta.url);
const samples = ['echo', 'memcached'].flatMap((operator) => {
  const folder = new URL(`${operator}/config/samples/`, operators);
  return readdirSync(folder).map((file) => parse(readFileSync(new URL(file, folder), 'utf8')) as InputOf<Kind>);
});
const kinds = [Echo, ScheduledEcho, Memcached];

test('the API server takes every sample, and the documents’ names are among them', async () => {
  await using cluster = createCluster({ only: [] });
  const client = createClient({ transport: cluster.transport, fieldManager: 'test' });
  await installDefinitions(
    client,
    kinds.map((kind) => crdOf(kind)),
  );
  const made = await Promise.all(
    samples.map(async (sample) => {
      const kind = kinds.find((each) => each.kind === (sample as { readonly kind?: string }).kind);
      assert.ok(kind, JSON.stringify(sample));
      const metadata = { ...sample.metadata, namespace: 'default' };
      return await client.create(kind as Kind, { ...sample, metadata } as InputOf<Kind>, { dryRun: true });
    }),
  );
  assert.deepEqual(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
    'Echo hello-world',
    'Memcached example-memcached',
    'Memcached memcached-sample',
    'Memcached memcached-tuned',
    'Memcached my-memcached',
    'ScheduledEcho hello-every-minute',
  ]);
});
