import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

test('the examples of RFC 7396 come out as the RFC says', () => {
  const cases: readonly [unknown, unknown, unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [document, patch, expected] of cases) {
    assert.deepEqual(applyMergePatch(document, patch), expected, JSON.stringify({ document, patch }));
  }
});

test('a null inside a list of the patch keeps its place, and one inside of its objects goes, as on a real server', () => {
  assert.deepEqual(applyMergePatch({}, { a: [{ x: null, y: 1 }, null] }), { a: [{ y: 1 }, null] });
  assert.deepEqual(applyMergePatch({ a: { q: 1 } }, { a: [{ x: null, y: 1 }] }), { a: [{ x: null, y: 1 }] });
  assert.deepEqual(applyMergePatch({ a: null }, { a: { b: null, c: { d: null } } }), { a: { c: {} } });
});

test('what a patch does not touch is shared, and a patch that changes nothing gives the document itself', () => {
  const document = { a: { x: 1 }, list: [{ y: 2 }] };
  assert.equal(applyMergePatch(document, { a: { x: 1 }, list: [{ y: 2 }], gone: null }), document);
  const patched = applyMergePatch(document, { list: [] }) as typeof document;
  assert.equal(patched.a, document.a);
  assert.deepEqual(document, { a: { x: 1 }, list: [{ y: 2 }] });
});

const withoutNull = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.string()), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}));

test('applying the difference of two objects to the first gives the second', () => {
  fc.assert(
    fc.property(withoutNull.object, withoutNull.object, (before, after) => {
      assert.deepEqual(applyMergePatch(before, createMergePatch(before, after)), after);
    }),
  );
});

test('the difference of equal objects is empty', () => {
  fc.assert(
    fc.property(withoutNull.object, (object) =>
      assert.deepEqual(createMergePatch(object, structuredClone(object)), {}),
    ),
  );
});

/** Without lists: one that replaces an object keeps the nulls in it, and loses them when it replaces itself. */
const patches = fc.letrec((tie) => ({
  change: fc.oneof({ depthSize: 'small' }, fc.constant(null), fc.string(), tie('patch')),
  patch: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('change'), { maxKeys: 4, noNullPrototype: true }),
}));

test('applying a patch twice is applying it once', () => {
  fc.assert(
    fc.property(withoutNull.object, patches.patch, (document, patch) => {
      const once = applyMergePatch(document, patch);
      assert.equal(applyMergePatch(once, patch), once);
    }),
  );
});
