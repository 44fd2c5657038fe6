import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

function given(limit: number) {
  const idle = new Set<string>();
  const evicted: string[] = [];
  const map = new BoundedMap<string, string>({
    limit,
    isIdle: (value) => idle.has(value),
    onEvicted: (value) => evicted.push(value),
  });
  return { map, idle, evicted, held: () => [...map.values()] };
}

test('the least recently used goes when there are too many', () => {
  const { map, evicted, held } = given(2);
  map.set('a', 'A');
  map.set('b', 'B');
  assert.equal(map.get('a'), 'A');
  map.set('c', 'C');
  assert.deepEqual([held(), evicted, map.get('b')], [['A', 'C'], ['B'], undefined]);
  map.set('a', 'A again');
  assert.deepEqual([held(), evicted], [['C', 'A again'], ['B']], 'what is replaced is not evicted');
});

test('what is idle goes when another comes, up to the first that is not', () => {
  const { map, idle, evicted, held } = given(9);
  for (const each of ['a', 'b', 'c', 'd']) map.set(each, each);
  for (const each of ['a', 'b', 'd', 'e']) idle.add(each);
  assert.deepEqual(held(), ['a', 'b', 'c', 'd'], 'not by itself');
  map.set('e', 'e');
  assert.deepEqual(
    [held(), evicted],
    [
      ['c', 'd', 'e'],
      ['a', 'b'],
    ],
    'nor what has just come',
  );
});
