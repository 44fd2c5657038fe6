import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WarmupGoal, warmthOf } from './warmth.ts';

const server = (items: number, hits = 0, misses = 0) => ({ items, hits, misses });

const cases: readonly (readonly [
  what: string,
  goal: WarmupGoal,
  self: ReturnType<typeof server>,
  waiting: readonly number[],
  why?: string,
])[] = [
  ['nothing is asked for', {}, server(0), [1000]],
  ['the ratio is reached', { hitRatio: 80 }, server(0, 80, 20), []],
  ['the ratio is missed by a little', { hitRatio: 80 }, server(0, 799, 201), [], '79 percent of its reads hit, of 80'],
  ['no reads', { hitRatio: 80 }, server(9), [], '0 reads, of 100 that a hit ratio takes'],
  ['too few reads to tell', { hitRatio: 80 }, server(9, 99), [], '99 reads, of 100 that a hit ratio takes'],
  ['a ratio of nothing is no goal', { hitRatio: 0 }, server(0), []],
  ['as many items as the others', { items: 100 }, server(20), [10, 30]],
  [
    'fewer items than the others',
    { items: 50 },
    server(9),
    [10, 30],
    '9 items, of 50 percent of the 20 that the others have',
  ],
  ['no others', { items: 100 }, server(0), []],
  ['others that hold nothing', { items: 100 }, server(0), [0, 0]],
  [
    'of two goals both count',
    { hitRatio: 50, items: 50 },
    server(1, 100),
    [100],
    '1 items, of 50 percent of the 100 that the others have',
  ],
];

for (const [what, goal, self, waiting, why] of cases) {
  test(`warm or not: ${what}`, () => {
    const others = waiting.map((items) => server(items));
    assert.deepEqual(warmthOf(self, others, goal), why === undefined ? { isWarm: true } : { isWarm: false, why });
  });
}
