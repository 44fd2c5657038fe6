import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './json-patch.ts';

const cases: readonly (readonly [string, object, object, readonly object[]])[] = [
  ['nothing', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, []],
  ['a member', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [{ op: 'replace', path: '/a/b', value: 3 }]],
  ['a new one', { a: {} }, { a: { 'x/y~z': null } }, [{ op: 'add', path: '/a/x~1y~0z', value: null }]],
  ['one less', { a: 1, b: 2 }, { b: 2, a: undefined }, [{ op: 'remove', path: '/a' }]],
  ['an item', { a: [{ b: 1 }, 2] }, { a: [{ b: 2 }, 2] }, [{ op: 'replace', path: '/a/0/b', value: 2 }]],
  ['a longer list', { a: [1] }, { a: [1, 2] }, [{ op: 'replace', path: '/a', value: [1, 2] }]],
  ['another type', { a: [1] }, { a: { 0: 1 } }, [{ op: 'replace', path: '/a', value: { 0: 1 } }]],
];

for (const [what, before, after, patch] of cases) {
  test(`the patch names what changed: ${what}`, () => assert.deepEqual(createJsonPatch(before, after), patch));
}

test('applied to the one document, the patch gives the other', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (before, after) => {
        const plain = (value: object) => JSON.parse(JSON.stringify(value));
        assert.deepEqual(
          applyJsonPatch(plain(before), JSON.parse(JSON.stringify(createJsonPatch(plain(before), plain(after))))),
          plain(after),
        );
      },
    ),
    { numRuns: 200, seed: 1 },
  );
});

test('no depth of nesting is too much', () => {
  const nested = (value: unknown) => {
    let object: object = { value };
    for (let i = 0; i < 20_000; i++) object = { a: object };
    return object;
  };
  const [operation] = createJsonPatch(nested(1), nested(2));
  assert.equal(operation?.path, `${'/a'.repeat(20_000)}/value`);
});
