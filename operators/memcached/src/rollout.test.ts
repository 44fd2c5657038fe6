import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { memcached, pod } from '../test/fixtures.ts';
import { desiredStatefulSet } from './desired.ts';
import { rolloutOf } from './rollout.ts';
import type { ServerStats } from './server-stats.ts';

const now = 1_000_000;
const clock = { now: () => now } as Clock;
const secondsAgo = (seconds: number) => new Date(now - seconds * 1000).toISOString();

/** A pod whose address is its ordinal, ready for so many seconds, or not. */
function server(ordinal: number, revision: string, seconds?: number, podIP = `${ordinal}`): Pod {
  const ready =
    seconds === undefined ? { status: 'False' } : { status: 'True', lastTransitionTime: secondsAgo(seconds) };
  const made = pod(`cache-${ordinal}`, { phase: 'Running', podIP, conditions: [{ type: 'Ready', ...ready }] });
  return { ...made, metadata: { ...made.metadata, labels: { 'controller-revision-hash': revision } } };
}

const asked = (goal: { items?: number; hitRatio?: number }) =>
  memcached({
    size: 8,
    workload: 'StatefulSet',
    rollout: { minReadySeconds: 10, warmup: { ...goal, timeoutSeconds: 60 } },
  });

/** What comes of it with the last of eight pods replaced, and these servers answering, by ordinal. */
async function rolloutWith(
  goal: Parameters<typeof asked>[0],
  answers: Readonly<Record<number, number | string>>,
  { seconds = 20, areOthersDown = false, podIP = '7' } = {},
) {
  const reads: string[] = [];
  const owner = asked(goal);
  const { spec } = desiredStatefulSet(owner, 7);
  const status = { replicas: 8, observedGeneration: 1, currentRevision: 'old', updateRevision: 'new' };
  const set = {
    ...pod('cache', {}),
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    spec,
    status,
  } as unknown as StatefulSet;
  const pods = [0, 1, 2, 3, 4, 5, 6].map((ordinal) => server(ordinal, 'old', areOthersDown ? undefined : 20));
  const rollout = await rolloutOf(owner, set, [...pods, server(7, 'new', seconds, podIP)], {
    clock,
    signal: new AbortController().signal,
    readStats: async (host): Promise<ServerStats> => {
      reads.push(host);
      const answer = answers[Number(host)] ?? 100;
      if (typeof answer === 'string') throw new Error(answer);
      return { items: answer, hits: answer, misses: 100 - answer };
    },
  });
  return { ...rollout, reads: reads.join(' ') };
}

test('one look asks the youngest and five that wait, and what is not wanted is not asked', async () => {
  assert.deepEqual(await rolloutWith({ items: 80 }, { 7: 80 }), { released: 6, reads: '7 0 1 2 3 4' });
  assert.deepEqual(await rolloutWith({ hitRatio: 80 }, { 7: 80 }), { released: 6, reads: '7' });
});

test('a cold server is waited for, for ten seconds or for what is left of its time', async () => {
  const waitsFor = 'cache-7 fills its cache before cache-6 is replaced.';
  const why = '79 items, of 80 percent of the 100 that the others have';
  const { reads: _, ...cold } = await rolloutWith({ items: 80 }, { 7: 79 });
  assert.deepEqual(cold, { waitsFor, why, lookAgainMs: 10_000 });
  assert.equal((await rolloutWith({ items: 80 }, { 7: 79 }, { seconds: 57 })).lookAgainMs, 3_000);
  const late = await rolloutWith({ items: 80 }, { 7: 79 }, { seconds: 60 });
  assert.deepEqual([late.released, late.gaveUp], [6, `cache-7 was not warm within 60 s (${why}).`]);
  assert.equal((await rolloutWith({ items: 80 }, { 7: 80 }, { seconds: 60 })).gaveUp, undefined, 'late, and warm');
});

test('who cannot be asked is not warm', async () => {
  assert.equal((await rolloutWith({ items: 80 }, { 7: 'it hangs' })).why, 'it hangs');
  assert.equal((await rolloutWith({ items: 80 }, {}, { podIP: '' })).why, 'it has no address');
});

test('those that wait are a measure if some of them answer, and none if they are down', async () => {
  const silent = 'refused';
  assert.equal((await rolloutWith({ items: 80 }, { 7: 80, 0: silent, 1: silent })).released, 6);
  const none = await rolloutWith({ items: 80 }, { 7: 80, 0: silent, 1: silent, 2: silent, 3: silent, 4: silent });
  assert.equal(none.why, 'no other server tells its stats');
  const down = await rolloutWith({ items: 80 }, { 7: 0 }, { areOthersDown: true });
  assert.deepEqual([down.released, down.reads], [6, '7'], 'they have nothing to lose');
});

test('nobody is asked before the time to be ready is over', async () => {
  assert.deepEqual(await rolloutWith({ items: 80 }, {}, { seconds: 4 }), { lookAgainMs: 6_000, reads: '' });
});
