import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOf, includes, indexesOf, lowestFree, parseIndexes, printIndexes, union } from './indexes.ts';

test('indexes are read and written as ranges; what is beyond the completions or unreadable is left out', () => {
  const cases = [
    ['', ''],
    ['0', '0'],
    ['0,1', '0,1'],
    ['0,1,2,4', '0-2,4'],
    ['1,3-5,7-9', '1,3-5,7,8'],
    ['8,9', '8'],
    ['x,2,3-y', '2'],
  ] as const;
  for (const [text, expected] of cases) assert.equal(printIndexes(parseIndexes(text, 9)), expected, text);
});

test('sets of indexes are joined, counted and asked', () => {
  const joined = union(indexesOf([5, 1, 2]), parseIndexes('3,8-10', 20));
  assert.equal(printIndexes(joined), '1-3,5,8-10');
  assert.equal(countOf(joined), 7);
  assert.deepEqual(
    [0, 1, 3, 4, 9].map((index) => includes(joined, index)),
    [false, true, true, false, true],
  );
});

test('the lowest free indexes are found between those that are taken', () => {
  const taken = parseIndexes('0,2-4,7', 9);
  assert.deepEqual(lowestFree(taken, 9, 9), [1, 5, 6, 8]);
  assert.deepEqual(lowestFree(taken, 2, 9), [1, 5]);
  assert.deepEqual(lowestFree(parseIndexes('0-9', 10), 3, 2), []);
});
