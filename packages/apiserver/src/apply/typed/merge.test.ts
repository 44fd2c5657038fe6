import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalSets, isEmpty, printPaths, union } from '@keelson/core/fields';
import * as fc from 'fast-check';
import { typeSchemaFromStructural } from '../schemas/structural-schema.ts';
import { compare } from './compare.ts';
import { fieldsOf } from './fields-of.ts';
import type { Json } from './json.ts';
import { merge } from './merge.ts';
import { removeFields } from './remove-fields.ts';

const type = typeSchemaFromStructural({
  type: 'object',
  properties: {
    text: { type: 'string' },
    struct: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    list: { type: 'array', items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, a: { type: 'string' }, b: { type: 'string' } } },
    },
  },
});

const text = fc.constantFrom('1', '2');
const name = fc.constantFrom('x', 'y', 'z');
const value = fc.record(
  {
    text,
    struct: fc.record({ a: text, b: text }, { requiredKeys: [], noNullPrototype: true }),
    map: fc.dictionary(name, text, { noNullPrototype: true }),
    list: fc.array(text, { maxLength: 2 }),
    set: fc.uniqueArray(name, { maxLength: 3 }),
    items: fc
      .uniqueArray(fc.record({ name, a: text, b: text }, { requiredKeys: ['name'], noNullPrototype: true }), {
        selector: (item) => item.name,
      })
      .map((items) => [...items]),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('merging what is already there gives the same value', () => {
  fc.assert(
    fc.property(value, value, (live, wanted) => {
      const merged = merge(live, wanted, type);
      assert.equal(merge(merged, wanted, type), merged);
      assert.equal(merge(live, structuredClone(live), type), live);
    }),
  );
});

test('a merged value has all that was wanted, and all that was live', () => {
  fc.assert(
    fc.property(value, value, (live, wanted) => {
      const merged = merge(live, wanted, type);
      assert.deepEqual(printPaths(compare(live, merged, type).removed), []);
      const { modified, removed } = compare(wanted, merged, type);
      assert.deepEqual([printPaths(modified), printPaths(removed)], [[], []]);
    }),
  );
});

test('neither side of a merge is changed', () => {
  fc.assert(
    fc.property(value, value, (live, wanted) => {
      const copies = structuredClone([live, wanted]);
      merge(live, wanted, type);
      assert.deepEqual([live, wanted], copies);
    }),
  );
});

test('comparing tells what was added, changed and removed apart', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const { added, modified, removed } = compare(before, after, type);
      const back = compare(after, before, type);
      assert.equal(equalSets(added, back.removed), true);
      assert.equal(equalSets(modified, back.modified), true);
      assert.equal(isEmpty(union(union(added, modified), removed)), isSame(before, after));
    }),
  );
});

/** Up to the order of items, and up to containers with nothing in them. */
function isSame(a: Json, b: Json): boolean {
  const sorted = (one: Json): Json => {
    if (Array.isArray(one)) return one;
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one)
        .toSorted(([x], [y]) => (x < y ? -1 : 1))
        .map(([key, member]) => [
          key,
          (key === 'set' || key === 'items') && Array.isArray(member)
            ? member.map((item) => JSON.stringify(sorted(item))).toSorted()
            : sorted(member),
        ]),
    );
  };
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

test('removing all fields of one part leaves the others as they are', () => {
  const whole = { text: '1', struct: { a: '1' }, set: ['x', 'y'], items: [{ name: 'x', a: '1' }, { name: 'y' }] };
  const gone = fieldsOf({ set: ['x'], items: [{ name: 'x' }] }, type);
  const rest = removeFields(whole, gone, type) as typeof whole;
  assert.deepEqual(rest, { text: '1', struct: { a: '1' }, set: ['y'], items: [{ name: 'y' }] });
  assert.equal(rest.struct, whole.struct);
  assert.equal(removeFields(whole, fieldsOf({ map: { q: '1' } }, type), type), whole);
});

test('a list that loses its last item is null, as on the real server', () => {
  assert.deepEqual(removeFields({ set: ['x'] }, fieldsOf({ set: ['x'] }, type), type), { set: null });
});
