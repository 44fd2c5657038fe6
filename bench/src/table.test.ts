import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

const flat = (value: number) => ({ median: value, lowerQuartile: value, upperQuartile: value });

test('a table has a line for each row, and a dash where there is nothing to say', () => {
  const rows = [
    {
      measure: 'list of 10,000 objects',
      unit: 'ms',
      ours: { median: 467.4, lowerQuartile: 460, upperQuartile: 480.6 },
      peer: flat(1007),
      ratio: 0.464,
      goal: 0.5,
      ok: true,
    },
    { measure: 'import', unit: 'ms', ours: flat(61.04), peer: flat(0.4567), ratio: 133.65, goal: 1, ok: false },
    { measure: 'memory', unit: 'MB', ours: flat(0) },
  ];
  assert.deepEqual(table(rows).split('\n'), [
    'measure                 ours                 peer                       ratio   goal  ok',
    'list of 10,000 objects  467 ms (460 to 481)  1007 ms (1007 to 1007)     0.46    0.5   yes',
    'import                  61 ms (61 to 61)     0.457 ms (0.457 to 0.457)  133.65  1     no',
    'memory                  0 MB (0 to 0)        -                          -       -     -',
    '',
  ]);
});
