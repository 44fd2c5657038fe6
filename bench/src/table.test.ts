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
      limit: flat(123.4),
    },
    { measure: 'import', unit: 'ms', ours: flat(61.04), peer: flat(0.4567), ratio: 133.65, goal: 1, ok: false },
    { measure: 'calls', unit: 'connections', ours: flat(2), peer: flat(1000), ratio: 0.002, atMost: 4, ok: true },
    { measure: 'memory', unit: 'MB', ours: flat(0) },
  ];
  assert.deepEqual(table(rows).split('\n'), [
    'measure                 ours                    peer                             ratio   goal           ok   limit',
    'list of 10,000 objects  467 ms (460 to 481)     1007 ms (1007 to 1007)           0.46    0.5            yes  123 ms',
    'import                  61 ms (61 to 61)        0.457 ms (0.457 to 0.457)        133.65  1              no   -',
    'calls                   2 connections (2 to 2)  1000 connections (1000 to 1000)  0.00    4 connections  yes  -',
    'memory                  0 MB (0 to 0)           -                                -       -              -    -',
    '',
  ]);
});
