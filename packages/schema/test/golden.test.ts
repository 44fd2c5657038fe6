import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crdOf } from '@keelson/schema';
import { Memcached } from './memcached.ts';

// A change that is meant is written down with the output of: JSON.stringify(crdOf(Memcached), null, 2)
test('the CRD of Memcached is the one that is written down', () => {
  const written: unknown = JSON.parse(readFileSync(new URL('./golden/memcached.json', import.meta.url), 'utf8'));
  assert.deepEqual(crdOf(Memcached), written);
});
