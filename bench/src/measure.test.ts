import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { isAbout, judge, measure } from './measure.ts';

const aCall = { name: 'a call', unit: 'ms' };

/** A clock that only shows what it is set to. */
function clockAt(): Clock & { monotonicMs: number } {
  return {
    monotonicMs: 0,
    now: () => assert.fail('wall time is not for measuring'),
    monotonic() {
      return this.monotonicMs;
    },
    setTimer: () => assert.fail('nothing waits here'),
  };
}

test('ours, the peer and the limit take turns, nobody always comes last, and the first round is thrown away', async () => {
  const clock = clockAt();
  const order: string[] = [];
  const lasting = (who: string, durationsMs: readonly number[]) => async (given: Clock) => {
    order.push(who);
    const begun = given.monotonic();
    clock.monotonicMs += durationsMs[order.filter((one) => one === who).length - 1] ?? assert.fail('too many samples');
    return [given.monotonic() - begun, 7];
  };

  const rows = await measure(
    {
      measures: [
        { name: 'a call', unit: 'ms', goal: 0.5 },
        { name: 'its memory', unit: 'MB', atMost: 6 },
      ],
      rounds: 3,
      ours: lasting('ours', [900, 3, 1, 2]),
      peer: lasting('peer', [800, 4, 4, 4]),
      limit: lasting('limit', [700, 1, 1, 1]),
    },
    clock,
  );

  const there = ['ours', 'peer', 'limit'];
  const back = there.toReversed();
  assert.deepEqual(order, [...back, ...there, ...back, ...there]);
  const always = (value: number) => ({ median: value, lowerQuartile: value, upperQuartile: value });
  assert.deepEqual(rows, [
    {
      measure: 'a call',
      unit: 'ms',
      ours: { median: 2, lowerQuartile: 1.5, upperQuartile: 2.5 },
      peer: always(4),
      ratio: 0.5,
      goal: 0.5,
      ok: true,
      limit: always(1),
    },
    {
      measure: 'its memory',
      unit: 'MB',
      ours: always(7),
      peer: always(7),
      ratio: 1,
      atMost: 6,
      ok: false,
      limit: always(7),
    },
  ]);
});

test('a benchmark is chosen by the name of any of its measures', () => {
  const benchmark = { measures: [aCall, { name: 'its memory', unit: 'MB' }], ours: async () => [1, 1] };
  assert.ok(isAbout(benchmark, 'memory'));
  assert.ok(!isAbout(benchmark, 'reaction'));
});

test('a sample that cannot be taken is an error, not a row', async () => {
  const failing = { measures: [aCall], ours: () => Promise.reject(new Error('no server')) };
  await assert.rejects(measure(failing, clockAt()), /no server/);
  const forgetful = { measures: [aCall, aCall], ours: async () => [1] };
  await assert.rejects(measure(forgetful, clockAt()), /expected finite numbers, received NaN/);
});

test('there can be fewer rounds than the benchmark wants, and not more', async () => {
  for (const [most, taken] of [
    [2, 2],
    [9, 3],
  ] as const) {
    let samples = 0;
    const counting = async () => [++samples];
    await measure({ measures: [aCall], rounds: 3, ours: counting }, clockAt(), most);
    assert.equal(samples, taken + 1, 'one warms up');
  }
});

test('a benchmark may want no round to warm up', async () => {
  let samples = 0;
  const counting = async () => [++samples];
  await measure({ measures: [aCall], rounds: 2, warmUp: false, ours: counting }, clockAt());
  assert.equal(samples, 2);
});

test('fewer than one round is refused', async () => {
  for (const rounds of [0, -1, 1.5, Number.NaN]) {
    await assert.rejects(
      measure({ measures: [aCall], rounds, ours: async () => [1] }, clockAt()),
      new RangeError(`rounds: expected 1 or more, received ${rounds}`),
    );
  }
});

const verdicts = [
  { says: 'a ratio at the goal is ok', goal: 2, ours: [4], peer: [2], ratio: 2, ok: true },
  { says: 'a ratio above the goal is not ok', goal: 1.9, ours: [4], peer: [2], ratio: 2, ok: false },
  { says: 'without a goal there is no verdict', ours: [4], peer: [2], ratio: 2 },
  { says: 'without a peer the goal is for ours', goal: 3, ours: [4], peer: [], ok: false },
  { says: 'a goal for ours alone is not of the ratio', atMost: 4, ours: [4], peer: [2], ratio: 2, ok: true },
  { says: 'a goal for ours alone can be missed', atMost: 3, ours: [4], peer: [200], ratio: 0.02, ok: false },
  { says: 'without a peer and a goal there are only the figures', ours: [4], peer: [] },
];

for (const { says, goal, atMost, ours, peer, ...expected } of verdicts) {
  test(says, () => {
    const goals = { ...(goal !== undefined && { goal }), ...(atMost !== undefined && { atMost }) };
    const { ratio, ok } = judge({ name: 'a', unit: 'ms', ...goals }, ours, peer);
    assert.deepEqual({ ratio, ok }, { ratio: undefined, ok: undefined, ...expected });
  });
}
