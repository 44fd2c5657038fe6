import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Informer, InformerHealth } from '@keelson/client';
import { ApiError, optional } from '@keelson/core';
import { Pod } from '@keelson/core/v1';
import type { Check } from '../serving/check.ts';
import type { Answer } from '../serving/http-server.ts';
import { healthRoutes } from './health.ts';
import type { Standing } from './leadership.ts';

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

interface Asked {
  readonly query?: string;
  readonly isLocal?: boolean;
  readonly standing?: Standing;
  readonly others?: readonly Check[];
}

async function ask(
  path: string,
  informers: readonly ReturnType<typeof informer>[],
  { query = '', isLocal = false, standing, others }: Asked = {},
): Promise<Answer> {
  const [, at = '', rest = ''] = /^(\/\w+\/?)(.*)$/.exec(path) ?? [];
  const route = healthRoutes(() => informers, standing && (() => standing), others && (() => others))[at];
  assert.ok(route, path);
  return route({ rest, query: new URLSearchParams(query), isLocal, authorization: undefined });
}

const verbose = { query: 'verbose', isLocal: true };

test('the process is healthy as long as it answers', async () => {
  const { status, body } = await ask('/healthz', [informer({})]);
  assert.deepEqual([status, body], [200, 'ok\n']);
});

test('it is ready when every watch has its first list, and says which has not', async () => {
  assert.equal((await ask('/readyz', [informer({ synced: true })])).status, 200);
  const waiting = await ask('/readyz', [informer({ synced: true }), informer({})], verbose);
  assert.equal(waiting.status, 500);
  assert.equal(
    waiting.body,
    '[+]sync-pods ok\n[-]sync-pods failed: the first list is not complete yet\nreadyz check failed\n',
  );
  assert.match(
    (await ask('/readyz', [informer({ lastError: new Error('refused') })], verbose)).body,
    /failed: refused/,
  );
});

test('strangers learn which check failed, and never why', async () => {
  const secret = informer({ lastError: new Error('Bearer top-secret') });
  const degraded = informer({ synced: true, lastError: new Error('Bearer top-secret') });
  const failed = '[-]sync-pods failed: reason withheld\nreadyz check failed\n';
  assert.equal((await ask('/readyz', [secret])).body, failed);
  assert.equal((await ask('/readyz', [secret], { isLocal: true })).body, failed, 'details are asked for');
  assert.equal((await ask('/readyz', [secret], { query: 'verbose' })).body, failed);
  assert.equal((await ask('/readyz', [degraded], { query: 'verbose' })).body, '[+]sync-pods ok, degraded\nok\n');
  assert.equal((await ask('/readyz', [degraded], verbose)).body, '[+]sync-pods ok, degraded: Bearer top-secret\nok\n');
});

test('a watch that fails after its first list does not make the process unready', async () => {
  const { status, body } = await ask('/readyz', [informer({ synced: true, lastError: new Error('reset') })]);
  assert.deepEqual([status, body], [200, 'ok\n']);
});

test('a forbidden watch is named with the rule that is missing, and where', async () => {
  const forbidden = { verb: 'list', group: '', resource: 'pods', namespace: 'a' } as const;
  const { body } = await ask('/readyz', [informer({ forbidden, lastError: new Error('no') })], verbose);
  assert.match(
    body,
    /missing rule: apiGroups: \[""\], resources: \["pods"\], verbs: \["get", "list", "watch"\] in namespace a/,
  );
});

test('leadership is shown, and fails only a replica that can never lead', async () => {
  const standing = { standing: 'standing by for b', problem: undefined };
  const ready = await ask('/readyz', [], { ...verbose, standing });
  assert.deepEqual([ready.status, ready.body], [200, '[+]leader-election ok, standing by for b\nok\n']);
  const stranger = await ask('/readyz', [], { query: 'verbose', standing });
  assert.equal(stranger.body, '[+]leader-election ok\nok\n');
  const refused = await ask('/readyz', [], { ...verbose, standing: { standing: 'standing by', problem: 'forbidden' } });
  assert.deepEqual(
    [refused.status, refused.body],
    [500, '[-]leader-election failed: forbidden\nreadyz check failed\n'],
  );
});

test('a check can be left out, or asked for alone', async () => {
  const informers = [informer({})];
  const standing = { standing: 'leading', problem: undefined };
  assert.equal((await ask('/readyz', informers, { query: 'exclude=sync-pods', standing })).status, 200);
  assert.equal((await ask('/readyz/sync-pods', informers, { standing })).status, 500);
  assert.equal((await ask('/readyz/leader-election', informers, { standing })).status, 200);
  assert.equal((await ask('/healthz/ping', informers)).status, 200);
  assert.equal((await ask('/readyz/other', informers, { standing })).status, 404);
});

test('a kind that is optional and absent does not make the process unready, and one that is forbidden does', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, reason: 'NotFound' };
  const absent = new ApiError('list pods', { ...status, message: 'no such resource' });
  const asked = { ...informer({ lastError: absent }), kind: optional(Pod) };
  const answer = await ask('/readyz', [asked], verbose);
  assert.equal(answer.status, 200);
  assert.match(answer.body, /\[\+\]sync-pods ok, absent/);
  assert.equal((await ask('/readyz', [informer({ lastError: absent })])).status, 500, 'not optional');
  const refused = { ...informer({ lastError: new Error('refused') }), kind: optional(Pod) };
  assert.equal((await ask('/readyz', [refused])).status, 500);
});

test('other checks count as well, for readiness alone', async () => {
  const others = [{ name: 'webhook', problem: 'the server does not listen' }];
  const failed = '[-]webhook failed: reason withheld\nreadyz check failed\n';
  assert.equal((await ask('/readyz', [], { others })).body, failed);
  assert.equal((await ask('/readyz/webhook', [], { others })).status, 500);
  assert.equal((await ask('/readyz', [], { others: [{ name: 'webhook', problem: undefined }] })).status, 200);
  assert.equal((await ask('/healthz', [], { others })).status, 200);
});
