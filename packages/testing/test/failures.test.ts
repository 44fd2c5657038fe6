/** What a test is told of an operator whose passes fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { done } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { key, Note, note, noteOperator } from './fixtures.ts';

test('a wait that gives up says what the passes fail with, and how often, with the error as its cause', async () => {
  const full = new Error('the disk is full');
  await using cluster = await startCluster({
    operators: [
      noteOperator(async () => {
        throw full;
      }),
    ],
  });
  await cluster.client.create(Note, note());
  await assert.rejects(cluster.eventually(ConfigMap, key), {
    message:
      'configmaps default/a: not there within 600 s of virtual time; there is no such object; the last pass over note default/a failed (17 times): the disk is full',
    cause: full,
  });
  await assert.rejects(cluster.eventuallyGone(Note, key, 1), {
    message:
      /not gone within 0.001 s of virtual time; the last pass over note default\/a failed \(17 times\): the disk/,
    cause: full,
  });
});

test('only objects that fail at that moment are named, the awaited one first, and not too many', async () => {
  const failing = new Set(['a', 'b', 'c', 'd', 'e']);
  await using cluster = await startCluster({
    operators: [
      noteOperator(async ({ metadata: { name } }) => {
        if (failing.has(name)) throw new Error(`no ${name}`);
        return done;
      }),
    ],
  });
  for (const name of failing) await cluster.client.create(Note, note(name));
  const told = async () => {
    const error: unknown = await cluster.eventually(ConfigMap, 'default/d', undefined, 1).catch((each) => each);
    return String(error)
      .replaceAll(/ \(\d+ times\)/g, '')
      .split('; the last pass over ')
      .slice(1);
  };
  await cluster.clock.advance(60_000);
  assert.deepEqual(await told(), [
    'note default/d failed: no d',
    'note default/a failed: no a',
    'note default/b failed: no b; so did those over 2 more',
  ]);

  for (const name of ['a', 'd', 'e']) failing.delete(name);
  await cluster.client.delete(Note, 'default/b');
  await cluster.clock.advance(200_000);
  assert.deepEqual(await told(), ['note default/c failed: no c']);
  failing.clear();
  await cluster.clock.advance(2_000_000);
  assert.deepEqual(await told(), []);
});

test('a function gets each line that the operators log, in virtual time', async () => {
  const lines: string[] = [];
  await using cluster = await startCluster({
    operators: [
      noteOperator(async () => {
        throw new Error('the disk is full');
      }),
    ],
    log: (line) => lines.push(line),
  });
  await cluster.clock.advance(10_000);
  await cluster.client.create(Note, note());
  await cluster.clock.settle();
  const common = 'controller=note controllerGroup=testing.example.com controllerKind=Note';
  assert.ok(
    lines.some((line) => line.endsWith(` INFO  Starting workers ${common} worker count=1`)),
    lines.join('\n'),
  );
  const last = lines.at(-1)?.replace(/ at=\S+\/failures\.test\.ts:\d+$/, ' at=here');
  assert.equal(
    last,
    `00:00:10 ERROR Reconciler error ${common} namespace=default name=a error="the disk is full" retryInMs=5 at=here`,
  );
});
