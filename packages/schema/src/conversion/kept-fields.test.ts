import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileNode } from '../tree/schema-node.ts';
import { keptFields, restoredFields } from './kept-fields.ts';

const node = compileNode({
  type: 'object',
  properties: {
    a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    keyed: {
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
  },
});

const at = { to: node, from: node };

const cases: readonly (readonly [what: string, value: unknown, inferred: unknown, now: unknown, expected: unknown])[] =
  [
    ['what is not there otherwise', { a: 1, b: 2 }, { a: 1 }, { a: 3 }, { a: 3, b: 2 }],
    ['the absence of what is there otherwise', { a: 1 }, { a: 1, b: 2 }, { a: 3, b: 2 }, { a: 3 }],
    ['that an object is empty', { a: {} }, {}, {}, { a: {} }],
    ['fields in an object that is new now', { a: { b: 1 } }, {}, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    ['nothing of an object that went', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, {}, {}],
    [
      'what was kept of an object that is made of other fields',
      { made: { b: 1, c: 2 } },
      { made: { b: 1 } },
      {},
      { made: { c: 2 } },
    ],
    ['nothing of an object that is made of other fields alone', { made: {} }, { made: { b: 1 } }, {}, {}],
    ['nothing of an object that became a text', { a: { b: 1 } }, { a: {} }, { a: 'x' }, { a: 'x' }],
    [
      'the absence of an object, but for what is new in it now',
      {},
      { a: { b: { c: 1 }, d: 1 } },
      { a: { b: { c: 1 }, d: 2, e: 3 } },
      { a: { d: 2, e: 3 } },
    ],
    ['null beside absence', { a: null }, {}, { b: 1 }, { a: null, b: 1 }],
    [
      'a list whole, where its texts are as they were',
      { a: ['x', 'y'] },
      { a: ['x'] },
      { a: ['x'] },
      { a: ['x', 'y'] },
    ],
    ['no text of a list that was changed', { a: ['x', 'y'] }, { a: ['x'] }, { a: ['z'] }, { a: ['z'] }],
    [
      'no item of a list of another length that was changed',
      { a: [{ y: 1 }, { x: 1, z: 1 }] },
      { a: [{ x: 1 }] },
      { a: [{ x: 2 }] },
      { a: [{ x: 2 }] },
    ],
    [
      'an item with a key that is not there otherwise',
      { keyed: [{ k: 'a' }, { k: 'b' }] },
      { keyed: [{ k: 'a' }] },
      { keyed: [{ k: 'a', x: 1 }] },
      { keyed: [{ k: 'a', x: 1 }, { k: 'b' }] },
    ],
    [
      'nothing of an item that somebody made anew',
      { keyed: [{ k: 'a' }, { k: 'b', x: 1 }] },
      { keyed: [{ k: 'a' }] },
      { keyed: [{ k: 'b' }] },
      { keyed: [{ k: 'b' }] },
    ],
    [
      'the absence of an item with a key, unless somebody changed it',
      { keyed: [] },
      { keyed: [{ k: 'a' }, { k: 'b' }] },
      { keyed: [{ k: 'a' }, { k: 'b', x: 1 }] },
      { keyed: [{ k: 'b', x: 1 }] },
    ],
  ];

for (const [what, value, inferred, now, expected] of cases) {
  test(`it brings back ${what}`, () => {
    const kept = JSON.parse(JSON.stringify(keptFields(value, inferred)));
    assert.deepEqual(restoredFields(at, kept, inferred), value, 'unchanged');
    assert.deepEqual(restoredFields(at, kept, now), expected);
  });
}

test('nothing is kept of what can be inferred', () => {
  assert.equal(keptFields({ a: [1], b: { c: null } }, { b: { c: null }, a: [1] }), undefined);
});
