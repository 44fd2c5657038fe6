/** What the caches of a controller hold and refuse, in virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { ConfigMap, Node, Secret } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { controller, done } from '../src/index.ts';

test('a key that does not fit the scope of its kind, and a kind that is not declared, are errors where they are used', async () => {
  const errors: string[] = [];
  const attempt = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      errors.push((error as Error).message);
    }
  };
  const reading = controller({
    for: ConfigMap,
    owns: [Node],
    async reconcile(_, { cache }) {
      attempt(() => cache.get(ConfigMap, 'a'));
      attempt(() => cache.get(Node, 'x/a'));
      attempt(() => cache.get(Secret as never, 'x/a'));
      return done;
    },
  });
  await using running = await startCluster({ operators: [operator({ name: 'reading', controllers: [reading] })] });
  await running.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
  await running.clock.settle();
  assert.deepEqual(
    [...new Set(errors)],
    [
      'ConfigMap is namespaced, so its key is "namespace/name", not "a"',
      'Node is cluster-scoped, so its key is "name", not "x/a"',
      'Secret is not declared by the controller: add it to owns or watches to read it from the cache',
    ],
  );
});
