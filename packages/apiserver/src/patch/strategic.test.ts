import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { OpenApiDocument } from '../apply/index.ts';
import { inOrder } from './list-order.ts';
import { patchSchemaFromOpenApi } from './patch-schema.ts';
import { strategicMergePatch } from './strategic.ts';

const document: OpenApiDocument = {
  components: {
    schemas: {
      Widget: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          struct: { allOf: [{ $ref: '#/components/schemas/Widget' }] },
          replaced: { 'x-kubernetes-patch-strategy': 'replace', allOf: [{ $ref: '#/components/schemas/Widget' }] },
          map: { type: 'object', additionalProperties: { type: 'object' } },
          list: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } },
          items: {
            type: 'array',
            'x-kubernetes-patch-strategy': 'merge,retainKeys',
            'x-kubernetes-patch-merge-key': 'name',
            items: { $ref: '#/components/schemas/Widget' },
          },
        },
      },
    },
  },
};
const schema = patchSchemaFromOpenApi(document, 'Widget');

test('what a patch does not touch is shared, and a patch that changes nothing gives the object itself', () => {
  const live = { struct: { text: 'a' }, items: [{ name: 'x', struct: { text: 'b' } }, { name: 'y' }], set: ['s'] };
  assert.equal(strategicMergePatch(live, {}, schema), live);
  assert.equal(strategicMergePatch(live, { text: null, struct: { text: 'a' } }, schema), live);
  const patched = strategicMergePatch(live, { items: [{ name: 'y', text: 'new' }] }, schema) as typeof live;
  assert.deepEqual(patched.items, [
    { name: 'x', struct: { text: 'b' } },
    { name: 'y', text: 'new' },
  ]);
  assert.equal(patched.items[0], live.items[0]);
  assert.equal(patched.struct, live.struct);
});

test('a struct whose strategy is replace is replaced', () => {
  assert.deepEqual(strategicMergePatch({ replaced: { text: 'a' } }, { replaced: { set: ['s'] } }, schema), {
    replaced: { set: ['s'] },
  });
});

test('an object cannot be merged into a member of a map, or into a field that the type does not have', () => {
  const cases: readonly [object, RegExp][] = [
    [{ map: { k: { a: 1 } } }, /data type is not struct, instead is: map/],
    [{ unknown: { a: 1 } }, /unable to find api field in struct Widget for the json field "unknown"/],
  ];
  for (const [live, message] of cases) {
    const patch = structuredClone(live) as Record<string, unknown>;
    assert.throws(() => strategicMergePatch(live as never, patch, schema), message);
  }
  assert.deepEqual(strategicMergePatch({}, { unknown: { a: 1 } }, schema), { unknown: { a: 1 } });
});

test('lists of lists are refused', () => {
  assert.throws(() => strategicMergePatch({ set: [['a']] }, { set: [['b']] }, schema), { status: 422 });
});

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const names: fc.Arbitrary<string[]> = fc.uniqueArray(name);

test('merged lists have every item once, patched ones in the order of the patch, others in their own', () => {
  fc.assert(
    fc.property(names, names, (live, patch) => {
      const merged = strategicMergePatch({ set: live }, { set: patch }, schema).set as string[];
      assert.deepEqual(merged.toSorted(), [...new Set([...live, ...patch])].toSorted());
      assert.deepEqual(
        merged.filter((item) => patch.includes(item)),
        patch,
      );
      assert.deepEqual(
        merged.filter((item) => !patch.includes(item)),
        live.filter((item) => !patch.includes(item)),
      );
    }),
  );
});

test('lists of items merge in the same order as lists of their keys', () => {
  fc.assert(
    fc.property(names, names, (live, patch) => {
      const keyed = (list: readonly string[]) => list.map((key) => ({ name: key }));
      const merged = strategicMergePatch({ items: keyed(live) }, { items: keyed(patch) }, schema).items;
      assert.deepEqual(merged, keyed(strategicMergePatch({ set: live }, { set: patch }, schema).set as string[]));
    }),
  );
});

test('an element order wins over the live order and leaves nothing out', () => {
  fc.assert(
    fc.property(names, names, (live, order) => {
      const ordered = inOrder(live, order, live, '') as string[];
      assert.deepEqual(ordered.toSorted(), live.toSorted());
      assert.deepEqual(
        ordered.filter((item) => order.includes(item)),
        order.filter((item) => live.includes(item)),
      );
    }),
  );
});

test('neither the object nor the patch is changed', () => {
  const live = { items: [{ name: 'x', set: ['a', 'b'] }], struct: { text: 'a' } };
  const patch = {
    items: [
      { name: 'x', '$deleteFromPrimitiveList/set': ['a'] },
      { name: 'y', $patch: 'delete' },
    ],
    struct: { $retainKeys: ['text'], text: 'b' },
  };
  const copies = structuredClone([live, patch]);
  assert.deepEqual(strategicMergePatch(live, patch, schema), {
    items: [{ name: 'x', set: ['b'] }],
    struct: { text: 'b' },
  });
  assert.deepEqual([live, patch], copies);
});
