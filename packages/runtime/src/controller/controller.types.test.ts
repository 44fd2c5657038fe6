/** What an author's compiler says: the declaration types the context, and every mistake pinned here is a type error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, byLabel, operator, removable, rulesOf, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod, Secret, Service } from '@keelson/core/v1';
import { controller } from './controller.ts';
import { done, requeueAfter } from './outcome.ts';

const declaration = {
  for: ConfigMap,
  owns: [Deployment, removable(Service)],
  watches: [watch(Pod, { labels: { app: 'x' }, to: byLabel('instance') })],
  needs: [allow(Secret, 'get')],
} as const;

/** Never called: it only has to compile, and each marked line has to fail to. */
const typed = controller({
  ...declaration,
  async reconcile(configMap, { cache, owned, client }) {
    const data: string | undefined = configMap.data?.key;
    const replicas: number | undefined = cache.get(Deployment, 'a/b')?.spec.replicas;
    const phases = cache.list(Pod, { namespace: 'a', labels: { app: 'x' } }).map((pod) => pod.status.phase);
    // @ts-expect-error Secret is not declared as owned or watched, so it is not in the cache
    cache.get(Secret, 'a/b');
    // @ts-expect-error Pod is watched, not owned
    await owned.apply(Pod, { metadata: { name: 'a' }, spec: { containers: [] } });
    // @ts-expect-error the selector and the template of a Deployment are required
    await owned.apply(Deployment, { metadata: { name: 'a' }, spec: { replicas: 1 } });
    await owned.apply(Deployment, {
      metadata: { name: 'a' },
      // @ts-expect-error there is no field "replica"
      spec: { replica: 1, selector: {}, template: {} },
    });
    // @ts-expect-error a Deployment has no status as written
    await owned.apply(Deployment, { metadata: { name: 'a' }, status: {} });
    // @ts-expect-error metadata needs a name, or asks for one
    await owned.apply(Service, { metadata: {} });
    await owned.absent(Service, 'a');
    // @ts-expect-error Deployment is not declared removable
    await owned.absent(Deployment, 'a');
    // @ts-expect-error cached objects are read-only
    configMap.data = {};
    const secret = await client.get(Secret, 'a/b');
    return secret.data || data || replicas || phases.length > 0 ? done : requeueAfter(1000);
  },
});

controller({
  for: ConfigMap,
  // @ts-expect-error a reconciler answers with an outcome
  reconcile: async () => undefined,
});

test('a controller is named after its kind and reconciles one object at a time unless told otherwise', () => {
  assert.equal(typed.name, 'configmap');
  assert.equal(typed.concurrency, 1);
  const other = controller({ for: Pod, name: 'pods', concurrency: 4, reconcile: async () => done });
  assert.deepEqual([other.name, other.concurrency], ['pods', 4]);
});

test('a definition that cannot work is refused with the value received', () => {
  const reconcile = async () => done;
  assert.throws(() => controller({ for: Pod, concurrency: 0, reconcile }), /controller pod: concurrency .* received 0/);
  assert.throws(() => requeueAfter(0), /received 0/);
  const finalizer = 'example.com/x';
  assert.throws(
    () => controller({ for: Pod, finalizer, reconcile }),
    /controller pod: a finalizer without finalize would keep every object for ever/,
  );
  assert.throws(
    () => controller({ for: Pod, retry: { baseDelayMs: 0 }, reconcile }),
    /retry.baseDelayMs must be greater/,
  );
  const limits = { retry: { baseDelayMs: 0.5, maxDelayMs: 0.5 }, rateLimit: { passes: 1, perMs: 0.5 }, timeoutMs: 0.5 };
  const {
    retry,
    rateLimit,
    timeoutMs,
    finalizer: given,
  } = controller({
    for: Pod,
    ...limits,
    finalizer,
    finalize: async () => {},
    reconcile,
  });
  assert.deepEqual({ retry, rateLimit, timeoutMs, given }, { ...limits, given: finalizer });
});

test('what is not said has the defaults that are documented', () => {
  const { cacheSyncTimeoutMs, timeoutMs, resyncMs, retry, sources, rateLimit, finalizer } = typed;
  assert.deepEqual(
    { cacheSyncTimeoutMs, timeoutMs, resyncMs, retry, sources, rateLimit, finalizer },
    {
      cacheSyncTimeoutMs: 120_000,
      timeoutMs: 300_000,
      resyncMs: 36_000_000,
      retry: { baseDelayMs: 5, maxDelayMs: 1_000_000 },
      sources: [],
      rateLimit: undefined,
      finalizer: undefined,
    },
  );
});

test('the rules of an operator are those of its declarations', () => {
  const rules = rulesOf(operator({ name: 'example', controllers: [typed] }));
  assert.deepEqual(
    rules.map(({ resources }) => resources[0]),
    ['configmaps', 'configmaps/finalizers', 'pods', 'secrets', 'services', 'deployments', 'events'],
  );
});
