/** Operators that stop, crash and come back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byLabel, operator, sleep, watch } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { key, Note, note, noteOperator } from './fixtures.ts';

/** Takes a virtual second between its two steps. */
const slow = (log: string[], clock: () => Parameters<typeof sleep>[0]) =>
  noteOperator(async ({ spec }, { owned, status }) => {
    log.push('begin');
    await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: spec.text } });
    await sleep(clock(), 1000);
    log.push('half');
    await status.apply({ seen: spec.text, conditions: [] });
    log.push('end');
    return done;
  });

test('a crash leaves everything as it is: no request arrives any more, nothing is finished', async () => {
  const log: string[] = [];
  await using cluster = await startCluster({ operators: [slow(log, () => cluster.clock)] });
  const [replica] = cluster.replicas;
  assert.ok(replica);
  await cluster.client.create(Note, note());
  await cluster.eventually(ConfigMap, key);
  replica.crash();
  assert.equal(replica.isRunning, false);
  await cluster.clock.advance(3_600_000);
  // Its own wait was by the test's clock and came to an end; the write after it went nowhere.
  assert.deepEqual(log, ['begin', 'half']);
  assert.equal((await cluster.client.get(Note, key)).status, undefined);

  await cluster.client.patch(Note, key, { spec: { text: 'changed meanwhile' } });
  await replica.start();
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'changed meanwhile');
  assert.equal((await cluster.client.get(ConfigMap, key)).data?.text, 'changed meanwhile');
});

test('a stop lets the running pass finish', async () => {
  const log: string[] = [];
  await using cluster = await startCluster({ operators: [slow(log, () => cluster.clock)] });
  await cluster.client.create(Note, note());
  await cluster.eventually(ConfigMap, key);
  await cluster.replicas[0]?.stop();
  assert.equal((await cluster.client.get(Note, key)).status?.seen, 'hello');
});

test('an operator that cannot start fails the test with its reason', async () => {
  const watches = ['x', 'y'].map((app) => watch(ConfigMap, { labels: { app }, to: byLabel('note') }));
  const contradictory = operator({
    name: 'note-operator',
    controllers: [controller({ for: Note, watches, reconcile: async () => done })],
  });
  await assert.rejects(startCluster({ operators: [contradictory] }), {
    message: /^note-operator failed: ConfigMap is watched twice with different selections/,
  });
});

test('of two replicas one works, and when it crashes the other one takes over', async () => {
  const passes: string[] = [];
  await using cluster = await startCluster({
    replicas: 2,
    operators: [
      noteOperator(async ({ spec }, { status }) => {
        passes.push(spec.text);
        await status.apply({ seen: spec.text, conditions: [] });
        return done;
      }),
    ],
  });
  await cluster.client.create(Note, note());
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'hello');
  const { spec: lease } = await cluster.client.get(Lease, 'operators/note-operator');
  const leader = cluster.replicas.find(({ index }) => lease?.holderIdentity === `note-operator-${index}`);
  assert.ok(leader);
  leader.crash();
  await cluster.client.patch(Note, key, { spec: { text: 'again' } });
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'again', 20_000);
});
