import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodeFields, encodeFields } from './fields-v1.ts';
import {
  difference,
  differenceBelow,
  emptySet,
  equalSets,
  has,
  intersection,
  isEmpty,
  leavesOf,
  type PathSet,
  printPaths,
  setOf,
  union,
} from './path-set.ts';

const path = fc.array(fc.constantFrom('f:a', 'f:b', 'k:{"n":1}', 'v:"x"'), { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });
const sets = paths.map((list) => setOf(...list));

/** A set as the plain set of its members' paths. */
function members(set: PathSet, prefix: readonly string[] = []): Set<string> {
  const found = new Set<string>();
  for (const [step, child] of set.children) {
    if (child.member) found.add([...prefix, step].join('/'));
    for (const below of members(child, [...prefix, step])) found.add(below);
  }
  return found;
}

test('union, intersection and difference are those of the members', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const [ofA, ofB] = [Array.from(members(a)), members(b)];
      assert.deepEqual(members(union(a, b)), new Set([...ofA, ...ofB]));
      assert.deepEqual(members(intersection(a, b)), new Set(ofA.filter((one) => ofB.has(one))));
      assert.deepEqual(members(difference(a, b)), new Set(ofA.filter((one) => !ofB.has(one))));
    }),
  );
});

test('a difference below takes along what is under the members', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const taken = members(b);
      const isBelow = (one: string) => one.split('/').some((_, i, steps) => taken.has(steps.slice(0, i + 1).join('/')));
      assert.deepEqual(members(differenceBelow(a, b)), new Set(Array.from(members(a)).filter((one) => !isBelow(one))));
    }),
  );
});

test('leaves are the members that have nothing under them', () => {
  fc.assert(
    fc.property(sets, (set) => {
      const all = Array.from(members(set));
      const isLeaf = (one: string) => !all.some((other) => other.startsWith(`${one}/`));
      assert.deepEqual(members(leavesOf(set)), new Set(all.filter(isLeaf)));
    }),
  );
});

test('no node is kept that stands for nothing', () => {
  const nothing = (set: PathSet): boolean =>
    Array.from(set.children.values()).some((child) => isEmpty(child) || nothing(child));
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      for (const set of [union(a, b), intersection(a, b), difference(a, b), differenceBelow(a, b), leavesOf(a)]) {
        assert.equal(nothing(set), false);
      }
    }),
  );
});

test('an operation that changes nothing gives the same set', () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.equal(union(set, emptySet), set);
      assert.equal(difference(set, emptySet), set);
      assert.equal(difference(set, setOf(['f:nobody'])), set);
      assert.equal(differenceBelow(set, setOf(['f:nobody'])), set);
    }),
  );
});

test('a set that was encoded and decoded is the same', () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.equal(equalSets(decodeFields(JSON.parse(JSON.stringify(encodeFields(set)))), set), true);
    }),
  );
});

test('FieldsV1 tells a member from what is under it', () => {
  const fields = {
    'f:labels': { '.': {}, 'f:a': {} },
    'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} }, 'v:1': {} },
    'f:text': {},
  };
  const set = decodeFields(fields);
  assert.deepEqual(encodeFields(set), fields);
  assert.equal(has(set, ['f:labels']), true);
  assert.equal(has(set, ['f:list']), false);
  assert.equal(has(set, ['f:list', 'v:1']), true);
  assert.deepEqual(printPaths(set), [
    '.labels',
    '.text',
    '.labels.a',
    '.list[name="x"]',
    '.list[=1]',
    '.list[name="x"].name',
  ]);
});

test('encoded members have the order of the real server, whatever the order they came in', () => {
  const fields = { 'f:b': { 'v:10': {}, 'v:9': {}, '.': {} }, 'f:a': {} };
  assert.equal(JSON.stringify(encodeFields(decodeFields(fields))), '{"f:a":{},"f:b":{".":{},"v:9":{},"v:10":{}}}');
});

test('steps from the future are dropped, and what is no field set is refused', () => {
  assert.deepEqual(encodeFields(decodeFields({ 'x:new': {}, 'f:a': { 'y:newer': {} } })), { 'f:a': {} });
  for (const bad of [null, [], 'x', { 'f:a': null }, { bad: {} }, { 'k:[': {} }]) {
    assert.throws(() => decodeFields(bad), SyntaxError, JSON.stringify(bad));
  }
});

test('no depth is too much', () => {
  const chain = Array.from({ length: 20_000 }, () => 'f:a');
  const [a, b] = [setOf(chain, ['f:b']), setOf(chain, ['f:c'])];
  assert.equal(equalSets(intersection(a, b), setOf(chain)), true);
  assert.equal(equalSets(difference(union(a, b), setOf(['f:b'], ['f:c'])), setOf(chain)), true);
  assert.deepEqual(printPaths(differenceBelow(a, setOf(['f:a']))), ['.b']);
  assert.deepEqual(printPaths(leavesOf(a)), ['.b', '.a'.repeat(20_000)]);
});
