import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration } from './table-columns.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const cases: readonly (readonly [number, string])[] = [
  [-5 * second, '<invalid>'],
  [-1 * second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [120 * second, '2m'],
  [125 * second, '2m5s'],
  [10 * minute + 5 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 5 * minute, '3h5m'],
  [8 * hour + 5 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [735 * day, '2y5d'],
  [3000 * day, '8y'],
];

for (const [ms, expected] of cases) {
  test(`${ms / second} seconds are shown as ${expected}`, () => {
    assert.equal(duration(ms), expected);
  });
}
