import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignedItems } from './aligned-items.ts';

const cases: readonly (readonly [before: string, now: string, expected: readonly number[]])[] = [
  ['', 'ab', [-1, -1]],
  ['abc', 'abc', [0, 1, 2]],
  ['abc', 'axc', [0, 1, 2]], // one changed in its place
  ['abc', 'bc', [1, 2]],
  ['abc', 'xabc', [-1, 0, 1, 2]],
  ['abcdefgh', 'acdegh', [0, 2, 3, 4, 6, 7]],
  ['abc', 'xyz', [0, 1, 2]],
  ['abc', 'xy', [-1, -1]],
  ['abcd', 'axxd', [0, 1, 2, 3]],
  ['abcd', 'axxxd', [0, -1, -1, -1, 3]],
  ['ab', 'ba', [1, -1]],
];

for (const [before, now, expected] of cases) {
  test(`items of "${now}" are found in "${before}"`, () => {
    const items = (text: string) => [...text].map((letter) => ({ letter }));
    assert.deepEqual(alignedItems(items(before), items(now)), expected);
  });
}

test('in long lists, items are found by their place', () => {
  const items = (first: number) => Array.from({ length: 1000 }, (_, i) => first + i);
  assert.deepEqual(alignedItems(items(0), items(1)), items(0));
});
