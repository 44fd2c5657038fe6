/** A test process waits for what its cluster needs, and for nothing else. */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import process from 'node:process';
import { test } from 'node:test';

test('a cluster without kinds of its own loads neither zod nor an HTTP client nor TLS', async () => {
  const loaded: string[] = [];
  const hooks = registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  const { startCluster } = await import('../src/index.ts');
  await using _cluster = await startCluster();
  hooks.deregister();
  // Not in Node's types: the built-in modules that this process has loaded.
  const { moduleLoadList } = process as typeof process & { readonly moduleLoadList: readonly string[] };
  const late = [/\/zod\//, /\/ws\//, /\/yaml\//, /internal\/deps\/undici/, /NativeModule (?:https|tls)$/];
  assert.deepEqual(
    [...loaded, ...moduleLoadList].filter((name) => late.some((pattern) => pattern.test(name))),
    [],
  );
});
