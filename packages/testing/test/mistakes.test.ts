/** Mistakes of an author's code fail a test by themselves; what the cluster brings about does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { done, type Outcome, requeueAfter } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { type Definition, key, Note, note, noteOperator } from './fixtures.ts';

const forgotten = { metadata: { name: 'forgotten' } };

const mistakes: Readonly<Record<string, readonly [Definition['reconcile'], string]>> = {
  'nothing is returned': [
    async () => undefined as unknown as Outcome,
    'reconcile returned nothing; it must return done or requeueAfter(ms)',
  ],
  'the answer is no outcome': [
    async () => ({ type: 'requeue', afterMs: 0 }),
    'reconcile asked to come back after 0 ms; that must be greater than 0',
  ],
  'no time is no time to come back after': [
    async () => requeueAfter(0),
    'requeueAfter: afterMs must be finite and greater than 0, received 0',
  ],
  'what is thrown is no error': [
    async () => {
      throw 'oops';
    },
    "reconcile threw 'oops', which is no Error and tells nobody where",
  ],
  'a write is not awaited': [
    async (_, { owned }) => {
      void owned.apply(ConfigMap, forgotten);
      return done;
    },
    'reconcile of note default/a returned while owned.apply(ConfigMap forgotten) was still running: an await is missing',
  ],
  'a call comes after the end': [
    async (_, { owned, clock }) => {
      clock.setTimer(1000, () => void owned.apply(ConfigMap, forgotten));
      return done;
    },
    'owned.apply(ConfigMap forgotten) was called after the reconcile of note default/a had ended: an await is missing; nothing was sent',
  ],
};

for (const [what, [reconcile, text]] of Object.entries(mistakes)) {
  test(`a mistake fails the test that overlooks it: ${what}`, async () => {
    const run = async (tolerate: readonly 'mistake'[]) => {
      await using cluster = await startCluster({ operators: [noteOperator(reconcile)], tolerate });
      await cluster.client.create(Note, note());
      await cluster.clock.advance(2000);
    };
    await assert.rejects(run([]), { message: `note-operator has a mistake, seen at note default/a: ${text}` });
    await run(['mistake']);
  });
}

test('an error that a pass throws, and the calls that it leaves behind, are no mistake', async () => {
  let passes = 0;
  await using cluster = await startCluster({
    operators: [
      noteOperator(async (_, { owned, clock }) => {
        passes += 1;
        const twoSteps = async () => {
          await sleep(clock, 1000);
          await owned.apply(ConfigMap, { metadata: { name: 'a' } });
        };
        const outside = passes === 1 ? Promise.reject(new Error('not now')) : Promise.resolve();
        await Promise.all([twoSteps(), outside]);
        return done;
      }),
    ],
  });
  await cluster.client.create(Note, note());
  await cluster.eventually(ConfigMap, key);
  assert.ok(passes > 1);
});
