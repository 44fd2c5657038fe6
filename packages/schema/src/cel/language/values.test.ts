import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characterAt, countCharacters, unitOf } from './characters.ts';
import { Entries, Items, type ListValue } from './values.ts';

const list = (value: ListValue) => [...value];

test('lists that grow from a common one do not see each other', () => {
  const one = new Items([1n]);
  const two = one.plus(new Items([2n]));
  const other = one.plus(new Items([3n]));
  const three = two.plus(new Items([4n]));
  assert.deepEqual([one, two, other, three].map(list), [[1n], [1n, 2n], [1n, 3n], [1n, 2n, 4n]]);
  assert.deepEqual(list(two.plus(two)), [1n, 2n, 1n, 2n]);
});

test('maps that grow from a common one do not see each other', () => {
  const none = new Entries(new Map());
  const one = none.with('a', 1n);
  const two = one?.with('b', 2n);
  const other = one?.with('c', 3n);
  assert.deepEqual(
    [none, one, two, other].map((map) => [...(map?.keys() ?? [])]),
    [[], ['a'], ['a', 'b'], ['a', 'c']],
  );
  assert.equal(one?.get('b'), undefined);
  assert.equal(two?.with('a', 4n), undefined);
  assert.equal(other?.with('b', 5n)?.get('b'), 5n);
});

test('characters are counted and found where a pair of units is one', () => {
  const text = 'a\u{1f600}b\u{1f601}';
  assert.equal(countCharacters(text), 4);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((i) => unitOf(text, i)),
    [0, 1, 3, 4, 6],
  );
  assert.deepEqual(
    [0, 1, 3, 4, 6].map((i) => characterAt(text, i)),
    [0, 1, 2, 3, 4],
  );
});
