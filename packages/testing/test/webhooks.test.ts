/** Webhooks of operators: the cluster asks them in process, as it would in production. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { causesOf, isForbidden, isInternalError, isInvalid, type Kind, operator, sleep } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done, webhook } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';
import { startCluster } from '../src/index.ts';
import { key, Note, note } from './fixtures.ts';

/** Notes are signed, and may not say what a ConfigMap forbids; some words are frowned upon; important ones stay. */
const notes = webhook(Note, {
  reads: [ConfigMap],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  default: ({ object, user }) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...object.metadata.annotations, 'example.com/by': user.username ?? '' },
    },
  }),
  validate(request) {
    if (request.operation === 'DELETE') {
      return request.oldObject.spec.text === 'important' ? [{ message: 'important notes stay' }] : [];
    }
    const { text } = request.object.spec;
    const why = request.cache.get(ConfigMap, 'default/forbidden')?.data?.[text];
    if (why !== undefined) return [{ field: ({ spec }) => spec.text, message: why }];
    return text === 'hmm' ? [{ warning: 'say more' }] : [];
  },
});
const alone = operator({ name: 'judge', webhooks: [notes] });

test('what arrives is filled in, refused with its fields, and warned about; a cache is there before the first call', async () => {
  await using cluster = await startCluster({ operators: [alone] });
  const warnings: string[] = [];
  const { transport } = cluster.cluster;
  const client = createClient({ transport, clock: cluster.clock, onWarning: (text) => warnings.push(text) });
  await client.create(ConfigMap, { metadata: { name: 'forbidden', namespace: 'default' }, data: { no: 'is rude' } });
  await cluster.clock.settle();

  const created = await client.create(Note, note('a', 'hmm'));
  assert.equal(created.metadata.annotations?.['example.com/by'], 'kubernetes-admin');
  assert.deepEqual(warnings, ['say more']);
  await assert.rejects(client.patch(Note, key, { spec: { text: 'no' } }), (error: Error) => {
    assert.ok(isInvalid(error));
    assert.deepEqual(causesOf(error), [
      { reason: 'FieldValueInvalid', field: 'spec.text', message: 'Invalid value: "no": is rude' },
    ]);
    assert.match(
      error.message,
      /admission webhook "validate\.note\.judge" denied the request: Note\.testing\.example\.com "a" is invalid: spec\.text: Invalid value: "no": is rude$/,
    );
    return true;
  });
  await client.patch(Note, key, { spec: { text: 'important' } });
  await assert.rejects(
    client.delete(Note, key),
    (error: Error) => isForbidden(error) && /important notes stay$/.test(error.message),
  );
  await client.patch(Note, key, { spec: { text: 'over' } });
  await client.delete(Note, key);
});

test('webhooks answer beside controllers, and what those see has been filled in', async () => {
  const signatures: unknown[] = [];
  const noting = controller({
    for: Note,
    async reconcile({ metadata }) {
      signatures.push(metadata.annotations?.['example.com/by']);
      return done;
    },
  });
  const both = operator({ name: 'note-operator', controllers: [noting], webhooks: [notes] });
  await using cluster = await startCluster({ operators: [both] });
  await cluster.client.create(Note, note());
  await cluster.clock.settle();
  assert.deepEqual(signatures, ['kubernetes-admin']);
});

test('another replica answers when one has crashed, and without any the write fails in the words of the server', async () => {
  await using cluster = await startCluster({ operators: [alone], replicas: 2 });
  const [first, second] = cluster.replicas;
  second?.crash();
  await cluster.client.create(Note, note('a'));
  first?.crash();
  await assert.rejects(cluster.client.create(Note, note('b')), (error: Error) => {
    assert.ok(isInternalError(error));
    assert.match(error.message, /failed calling webhook "mutate\.note\.judge"/);
    return true;
  });
  await first?.start();
  await cluster.client.create(Note, note('b'));
});

test('a webhook waits by the clock of the cluster, and is waited for no longer than it may take', async () => {
  const slow = (ms: number) =>
    operator({
      name: 'slow',
      webhooks: [
        webhook(Note, {
          timeoutSeconds: 5,
          async validate({ clock, signal }) {
            await sleep(clock, ms, signal);
            return [];
          },
        }),
      ],
    });
  for (const [ms, isTooLong] of [
    [4000, false],
    [6000, true],
  ] as const) {
    await using cluster = await startCluster({ operators: [slow(ms)] });
    const begun = cluster.clock.monotonic();
    let took = 0;
    const creating = cluster.client.create(Note, note()).finally(() => {
      took = cluster.clock.monotonic() - begun;
    });
    creating.catch(() => {});
    await cluster.clock.advance(10_000);
    assert.equal(took, isTooLong ? 4800 : 4000);
    if (isTooLong) await assert.rejects(creating, /webhook \/validate\/note took too long; its log says why/);
    else await creating;
  }
});

test('a webhook that waits for the real world fails the test', async () => {
  const files = operator({
    name: 'files',
    webhooks: [
      webhook(Note, {
        async validate() {
          await stat('.');
          return [];
        },
      }),
    ],
  });
  await assert.rejects(async () => {
    await using cluster = await startCluster({ operators: [files] });
    await cluster.client.create(Note, note()).catch(() => {});
    await cluster.clock.advance(1);
  }, /files waits for a file/);
});

test('an object that is written in one version is read in another, as its operator converts it', async () => {
  const Page = defineKind({
    group: 'testing.example.com',
    kind: 'Page',
    hub: 'v2',
    versions: {
      v1: { spec: z.object({ words: z.string().default('') }) },
      v2: { storage: true, spec: z.object({ lines: z.array(z.string()).default([]) }) },
    },
    conversions: {
      v1: {
        toHub: ({ spec }) => ({ spec: { lines: spec.words === '' ? [] : spec.words.split('\n') } }),
        fromHub: ({ spec }) => ({ spec: { words: spec.lines.join('\n') } }),
      },
    },
  });
  const first: Kind = { group: Page.group, version: 'v1', kind: 'Page', resource: Page.resource, scope: Page.scope };
  const seen: (readonly string[])[] = [];
  const pages = controller({
    for: Page,
    async reconcile({ spec }) {
      seen.push(spec.lines);
      return done;
    },
  });
  const writing = operator({ name: 'writing', controllers: [pages] });
  await using cluster = await startCluster({ operators: [writing] });
  const page = { metadata: { namespace: 'default', name: 'a' }, spec: { words: 'a\nb' } };
  await cluster.client.create(first, page);
  await cluster.clock.settle();
  assert.deepEqual(seen, [['a', 'b']]);
  await cluster.client.patch(Page, 'default/a', { spec: { lines: ['c', 'd', 'e'] } });
  const { spec } = (await cluster.client.get(first, 'default/a')) as unknown as typeof page;
  assert.equal(spec.words, 'c\nd\ne');
});
