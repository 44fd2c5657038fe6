import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Informer, InformerHealth } from '@keelson/client';
import { Pod } from '@keelson/core/v1';
import { healthRoutes } from './health.ts';
import type { Answer } from './http-server.ts';

const informer = (health: Partial<InformerHealth>): Pick<Informer, 'kind' | 'health'> => ({
  kind: Pod,
  health: {
    phase: 'listing',
    synced: false,
    lastError: undefined,
    forbidden: undefined,
    lastEventAt: undefined,
    counts: { lists: 0, watches: 0, silences: 0 },
    ...health,
  },
});

async function ask(path: string, informers: readonly ReturnType<typeof informer>[], query = ''): Promise<Answer> {
  const route = healthRoutes(() => informers)[path];
  assert.ok(route, path);
  return route(new URLSearchParams(query));
}

test('the process is healthy as long as it answers', async () => {
  const { status, body } = await ask('/healthz', [informer({})]);
  assert.deepEqual([status, body], [200, 'ok\n']);
});

test('it is ready when every watch has its first list, and says which has not', async () => {
  assert.equal((await ask('/readyz', [informer({ synced: true })])).status, 200);
  const waiting = await ask('/readyz', [informer({ synced: true }), informer({})]);
  assert.equal(waiting.status, 500);
  assert.match(waiting.body, /\[-\]sync-pods failed: the first list is not complete yet\nreadyz check failed\n$/);
  assert.match((await ask('/readyz', [informer({ lastError: new Error('refused') })])).body, /failed: refused/);
});

test('a watch that fails after its first list does not make the process unready', async () => {
  const { status } = await ask('/readyz', [informer({ synced: true, lastError: new Error('reset') })]);
  assert.equal(status, 200);
});

test('a forbidden watch is named with the rule that is missing, and where', async () => {
  const forbidden = { verb: 'list', group: '', resource: 'pods', namespace: 'a' } as const;
  const { body } = await ask('/readyz', [informer({ forbidden, lastError: new Error('no') })]);
  assert.match(
    body,
    /missing rule: apiGroups: \[""\], resources: \["pods"\], verbs: \["get", "list", "watch"\] in namespace a/,
  );
});

test('each check is shown when asked for', async () => {
  const { body } = await ask('/readyz', [informer({ synced: true })], 'verbose');
  assert.equal(body, '[+]sync-pods ok\nok\n');
});
