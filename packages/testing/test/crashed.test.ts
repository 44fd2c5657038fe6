/** What is left of operators that crashed: nothing, or each crash of a long test would cost memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nextTurn } from '@keelson/core/system';
import { createManager, done, type Logger } from '@keelson/runtime';
import { type OperatorProgram, startCluster } from '../src/index.ts';
import { key, Note, note, noteOperator } from './fixtures.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('nothing holds an operator that crashed', async () => {
  let lives = 0;
  let held = 0;
  const registry = new FinalizationRegistry(() => {
    held -= 1;
  });
  const inside = noteOperator(async ({ spec }, { status }) => {
    await status.apply({ seen: spec.text, conditions: [] });
    return done;
  });
  const program: OperatorProgram = {
    operator: { ...inside, leaderElection: true },
    run({ transport, clock, random, identity }, signal) {
      registry.register(clock, undefined); // whatever waits in this life has it
      lives += 1;
      held += 1;
      const leaderElection = { identity, lease: 'operators/note-operator' } as const;
      const off = { health: false, metrics: false, webhooks: false } as const;
      return createManager(inside, { transport, clock, random, logger: silent, leaderElection, ...off }).start(signal);
    },
  };
  await using cluster = await startCluster({ replicas: 2, operators: [program] });
  await cluster.client.create(Note, note());
  for (let life = 0; life < 12; life += 1) {
    const text = `life ${life}`;
    await cluster.client.patch(Note, key, { spec: { text } });
    await cluster.eventually(Note, key, ({ status }) => status?.seen === text);
    for (const replica of cluster.replicas) {
      replica.crash();
      await replica.start();
    }
  }
  for (let turn = 0; turn < 10; turn += 1) {
    collect();
    await nextTurn();
  }
  assert.ok(lives === 26 && held <= 4, `${held} of ${lives} are held`); // two live, and what ran last may be on a stack
});

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
