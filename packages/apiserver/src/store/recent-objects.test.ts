import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Coolable, RecentObjects } from './recent-objects.ts';

/** Things that say when they cool, unless they are named in `used`. */
function things() {
  const used = new Set<string>();
  const cooled: string[] = [];
  const thing = (name: string): Coolable => ({
    cool() {
      if (used.delete(name)) return false;
      cooled.push(name);
      return true;
    },
  });
  return { used, cooled, thing };
}

test('beyond the limit, they cool in the order in which they came', () => {
  const { cooled, thing } = things();
  const recent = new RecentObjects(2);
  for (const name of ['a', 'b', 'c', 'd']) recent.add(thing(name));
  assert.deepEqual(cooled, ['a', 'b']);
});

test('what was used meanwhile is spared, and is the last to be looked at again', () => {
  const { used, cooled, thing } = things();
  const recent = new RecentObjects(3);
  for (const name of ['a', 'b', 'c']) recent.add(thing(name));
  used.add('a');
  for (const name of ['d', 'e', 'f']) recent.add(thing(name));
  assert.deepEqual(cooled, ['b', 'c', 'd']);
  recent.add(thing('g'));
  assert.deepEqual(cooled, ['b', 'c', 'd', 'a']);
});

test('when all were used, one cools all the same', () => {
  const { used, cooled, thing } = things();
  const recent = new RecentObjects(2);
  for (const name of ['a', 'b', 'c']) used.add(name);
  for (const name of ['a', 'b', 'c']) recent.add(thing(name));
  assert.deepEqual(cooled, ['a']);
});

test('what needs no looking after takes no room', () => {
  const { cooled, thing } = things();
  const recent = new RecentObjects(2);
  const gone = thing('a');
  recent.add(gone);
  recent.delete(gone);
  for (const name of ['b', 'c']) recent.add(thing(name));
  assert.deepEqual(cooled, []);
});
