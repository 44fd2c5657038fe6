/** Operators that never come to rest: the test fails, soon, and says why; the process around it lives on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { done, requeueAfter } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { key, Note, note, noteOperator } from './fixtures.ts';

test('a write without end in one instant fails the wait and names the object; timers of the machine fire meanwhile', async () => {
  let writes = 0;
  await using cluster = await startCluster({
    operators: [
      noteOperator(async ({ metadata }, { client, signal }) => {
        while (!signal.aborted) {
          writes += 1;
          const status = { seen: `${writes}` };
          await client.patch(Note, `${metadata.namespace}/${metadata.name}`, { status }, { subresource: 'status' });
        }
        return done;
      }),
    ],
  });
  await cluster.client.create(Note, note());
  let fired = false;
  systemClock.setTimer(0, () => {
    fired = true;
  });

  await assert.rejects(cluster.clock.settle(), {
    message:
      /^note-operator does not come to rest: PATCH \/apis\/testing\.example\.com\/v1\/namespaces\/default\/notes\/a\/status, again and again while no time passes \(at \d+ ms\)\.\n +200 × PATCH /,
  });
  assert.ok(fired, 'the event loop has turned');
  assert.ok(writes < 10_000);
});

test('what the test did not wait for is told at its end', async () => {
  const run = async () => {
    await using cluster = await startCluster({
      operators: [
        noteOperator(async (_, { client, signal }) => {
          while (!signal.aborted) await client.patch(Note, key, { status: { seen: '' } }, { subresource: 'status' });
          return done;
        }),
      ],
    });
    await cluster.client.create(Note, note());
    for (let i = 0; i < 1000; i += 1) await cluster.client.get(Note, key);
  };
  await assert.rejects(run, /does not come to rest/);
});

test('a wait for what never comes says so, with the condition and the last state, after ten virtual minutes', async () => {
  await using cluster = await startCluster({ operators: [noteOperator(async () => done)] });
  await assert.rejects(cluster.eventually(Note, key), {
    message: 'notes.testing.example.com default/a: not there within 600 s of virtual time; there is no such object',
  });
  await cluster.client.create(Note, note());
  await assert.rejects(
    cluster.eventually(Note, key, ({ status }) => status?.seen === 'never'),
    /^Error: notes\.testing\.example\.com default\/a: not so \(\({ status }\) => status\?\.seen === 'never'\) within 600 s of virtual time; last seen: {"kind":"Note","apiVersion":"testing\.example\.com\/v1","spec":{"text":"hello"},"metadata":{"name":"a","namespace":"default","uid"/,
  );
  await assert.rejects(cluster.eventuallyGone(Note, key), {
    message: 'notes.testing.example.com default/a: not gone within 600 s of virtual time',
  });
});

test('a wait in which something small happens for ever gives up long before its virtual limit', async () => {
  await using cluster = await startCluster({
    operators: [noteOperator(async () => requeueAfter(1))],
    patienceMs: 200,
  });
  await cluster.client.create(Note, note());
  await assert.rejects(
    cluster.eventually(Note, key, ({ status }) => status?.seen === 'never', 1_000_000_000),
    /not so \(.*\) in 0\.2 s of the processor's time, [\d.]+ s of virtual time; last seen/,
  );
});
