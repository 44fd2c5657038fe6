/** The samples of both operators: the API server takes each of them as it stands. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { InputOf, Kind } from '@keelson/core';
import { Echo, ScheduledEcho } from '@keelson/echo-operator';
import { Memcached, memcachedOperator } from '@keelson/memcached-operator';
import { startCluster } from '@keelson/testing';
import { parse } from 'yaml';

const operators = new URL('../../operators/', import.meta.url);
const samples = ['echo', 'memcached'].flatMap((operator) => {
  const folder = new URL(`${operator}/config/samples/`, operators);
  return readdirSync(folder).map((file) => parse(readFileSync(new URL(file, folder), 'utf8')) as InputOf<Kind>);
});
const kinds = [Echo, ScheduledEcho, Memcached];

test('the API server takes every sample, and the documents’ names are among them, in both versions', async () => {
  await using cluster = await startCluster({ operators: [memcachedOperator], kinds: [Echo, ScheduledEcho] });
  const { client } = cluster;
  const made = await Promise.all(
    samples.map(async (sample) => {
      const kind = kinds.find((each) => each.kind === (sample as { readonly kind?: string }).kind);
      assert.ok(kind, JSON.stringify(sample));
      const metadata = { ...sample.metadata, namespace: 'default' };
      const { apiVersion = '' } = sample as { readonly apiVersion?: string };
      const [, version = ''] = apiVersion.split('/');
      return await client.create({ ...(kind as Kind), version }, { ...sample, metadata } as InputOf<Kind>, {
        dryRun: true,
      });
    }),
  );
  assert.deepEqual(made.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`).sort(), [
    ...['cache.example.com/v1', 'cache.example.com/v1alpha1'].flatMap((version) =>
      ['example-memcached', 'memcached-sample', 'memcached-tuned', 'my-memcached'].map(
        (name) => `${version} Memcached ${name}`,
      ),
    ),
    'mmontes.io/v1alpha1 Echo hello-world',
    'mmontes.io/v1alpha1 ScheduledEcho hello-every-minute',
  ]);
});
