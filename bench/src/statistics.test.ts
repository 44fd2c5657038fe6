import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summary } from './statistics.ts';

const cases = [
  { samples: [7], expected: { median: 7, lowerQuartile: 7, upperQuartile: 7 } },
  { samples: [1, 2], expected: { median: 1.5, lowerQuartile: 1.25, upperQuartile: 1.75 } },
  { samples: [5, 1, 3], expected: { median: 3, lowerQuartile: 2, upperQuartile: 4 } },
  { samples: [4, 1, 3, 2], expected: { median: 2.5, lowerQuartile: 1.75, upperQuartile: 3.25 } },
  { samples: [1, 2, 3, 4, 1000], expected: { median: 3, lowerQuartile: 2, upperQuartile: 4 } },
  { samples: [10, 9, 100], expected: { median: 10, lowerQuartile: 9.5, upperQuartile: 55 } },
  { samples: [0, 0, 0, 0], expected: { median: 0, lowerQuartile: 0, upperQuartile: 0 } },
];

for (const { samples, expected } of cases) {
  test(`the summary of ${samples.join(' ')} has median ${expected.median}`, () => {
    const given = [...samples];
    assert.deepEqual(summary(given), expected);
    assert.deepEqual(given, samples, 'the samples are left in their order');
  });
}

for (const samples of [[], [1, Number.NaN], [Number.POSITIVE_INFINITY]]) {
  test(`there is no summary of [${samples.join(', ')}]`, () => {
    assert.throws(() => summary(samples), RangeError);
  });
}
