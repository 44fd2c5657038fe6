import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyJsonPatch, JsonPatchError } from './json-patch.ts';

const document = { data: { k: 'v' }, metadata: { labels: { x: '1' }, finalizers: ['a.b/c', 'a.b/d'] }, none: null };

// Each was sent to kube-apiserver 1.36.4 for a ConfigMap of this shape; a `null` that it showed as "" is null here.
test('operations do what they do on a real API server', () => {
  const cases: readonly [unknown, unknown][] = [
    [{ op: 'replace', path: '/data/missing', value: 'x' }, { data: { k: 'v', missing: 'x' } }],
    [{ op: 'replace', path: '/metadata/finalizers/-1', value: 'a.b/x' }, { finalizers: ['a.b/c', 'a.b/x'] }],
    [{ op: 'add', path: '/metadata/finalizers/-', value: 'a.b/x' }, { finalizers: ['a.b/c', 'a.b/d', 'a.b/x'] }],
    [{ op: 'add', path: '/metadata/finalizers/-1', value: 'a.b/x' }, { finalizers: ['a.b/c', 'a.b/d', 'a.b/x'] }],
    [{ op: 'add', path: '/metadata/finalizers/-2', value: 'a.b/x' }, { finalizers: ['a.b/c', 'a.b/x', 'a.b/d'] }],
    [{ op: 'add', path: '/metadata/finalizers/0', value: 'a.b/x' }, { finalizers: ['a.b/x', 'a.b/c', 'a.b/d'] }],
    [{ op: 'remove', path: '/metadata/finalizers/-1' }, { finalizers: ['a.b/c'] }],
    [{ op: 'remove', path: '/metadata/finalizers/01' }, { finalizers: ['a.b/c'] }],
    [{ op: 'move', from: '/data/k', path: '/data/l' }, { data: { l: 'v' } }],
    [{ op: 'copy', from: '/data/k', path: '/data/l' }, { data: { k: 'v', l: 'v' } }],
    [{ op: 'copy', from: '/data/zz', path: '/data/l' }, { data: { k: 'v', l: null } }],
    [{ op: 'test', path: '/data/k', value: 'v' }, {}],
    [{ op: 'test', path: '/metadata/labels', value: { x: '1' } }, {}],
    [{ op: 'test', path: '/data/zz', value: null }, {}],
    [{ op: 'test', path: '/data/zz' }, {}],
    [{ op: 'add', path: '/data/k' }, { data: { k: null } }],
    [{ op: 'add', path: '/data/a~1b~01', value: 'v' }, { data: { k: 'v', 'a/b~1': 'v' } }],
    [{ op: 'add', path: '/data/k', value: 'z', foo: 1 }, { data: { k: 'z' } }],
  ];
  for (const [operation, change] of cases) {
    const { data, finalizers } = {
      data: document.data,
      finalizers: document.metadata.finalizers,
      ...(change as object),
    };
    const expected = { ...document, data, metadata: { ...document.metadata, finalizers } };
    assert.deepEqual(applyJsonPatch(document, [operation]), expected, JSON.stringify(operation));
  }
  assert.equal(applyJsonPatch(document, null), document);
  assert.equal(applyJsonPatch(document, []), document);
  assert.deepEqual(applyJsonPatch(document, [{ op: 'replace', path: '', value: { a: 1 } }]), { a: 1 });
  assert.deepEqual(applyJsonPatch({ a: 1 }, [{ op: 'add', path: 'data/k', value: 'v' }]), { a: 1, k: 'v' });
});

test('an operation that a real API server refuses with 422 fails', () => {
  const cases: readonly unknown[] = [
    { op: 'replace', path: '/nope/missing', value: 'x' },
    { op: 'replace', path: '/metadata/finalizers/5', value: 'x' },
    { op: 'replace', path: '/metadata/finalizers/-3', value: 'x' },
    { op: 'replace', path: '/metadata/finalizers/99999999999999999999', value: 'x' },
    { op: 'replace', path: '/data/k/x', value: 'x' },
    { op: 'replace', path: '', value: 5 },
    { op: 'add', path: '/metadata/finalizers/3', value: 'x' },
    { op: 'add', path: '/metadata/finalizers/foo', value: 'x' },
    { op: 'add', path: '', value: {} },
    { op: 'add', path: '/a/b/c', value: {} },
    { op: 'add', path: '/none/x', value: {} },
    { op: 'add', value: {} },
    { op: 'remove', path: '/data/missing' },
    { op: 'remove', path: '/nope/missing' },
    { op: 'remove', path: '/metadata/finalizers/9' },
    { op: 'remove', path: '/metadata/finalizers/x' },
    { op: 'move', from: '/data/zz', path: '/data/l' },
    { op: 'move', from: '/qq/zz', path: '/data/l' },
    { op: 'move', from: '/data', path: '/data/l' },
    { op: 'move', path: '/data/l' },
    { op: 'copy', from: '/qq/zz', path: '/data/l' },
    { op: 'copy', from: '/data/k', path: '/qq/l' },
    { op: 'copy', from: '/metadata/finalizers/7', path: '/data/l' },
    { op: 'test', path: '/data/k', value: 'w' },
    { op: 'test', path: '/data/zz', value: 'q' },
    { op: 'test', path: '/qq/zz', value: 'q' },
    { op: 'test', path: '', value: {} },
    { op: 'frob', path: '/data/k', value: 'v' },
    { path: '/data/k', value: 'v' },
  ];
  for (const operation of cases) {
    assert.throws(
      () => applyJsonPatch(document, [operation]),
      { code: 'ERR_JSON_PATCH', reason: /Failed$/ },
      JSON.stringify(operation),
    );
  }
});

test('what is no patch is told apart from a patch that does not fit', () => {
  for (const patch of [{ op: 'add' }, [1], [null], [{ op: 1, path: '/x' }], [{ op: 'add', path: 5 }], 'x', undefined]) {
    assert.throws(() => applyJsonPatch(document, patch), { reason: 'Malformed' }, JSON.stringify(patch));
  }
});

test('a patch that is too long is refused before its first operation', () => {
  const patch = Array.from({ length: 10_001 }, () => ({ op: 'frob' }));
  assert.throws(
    () => applyJsonPatch(document, patch),
    new JsonPatchError('TooLarge', 'The allowed maximum operations in a JSON patch is 10000, got 10001'),
  );
  const three = [1, 2, 3].map((value) => ({ op: 'add', path: '/x', value }));
  assert.throws(() => applyJsonPatch({}, three, { maxOperations: 2 }), { reason: 'TooLarge' });
  assert.deepEqual(applyJsonPatch({}, three, { maxOperations: 3 }), { x: 3 });
});

test('untouched parts are shared, touched ones copied, and a copied value is not changed through its origin', () => {
  const before = { a: { deep: [{ n: 1 }] }, b: { n: 2 } };
  const after = applyJsonPatch(before, [
    { op: 'copy', from: '/a', path: '/c' },
    { op: 'add', path: '/a/deep/0/n', value: 9 },
    { op: 'add', path: '/c/deep/0/m', value: 8 },
  ]) as typeof before;
  assert.deepEqual(after, { a: { deep: [{ n: 9 }] }, b: { n: 2 }, c: { deep: [{ n: 1, m: 8 }] } });
  assert.deepEqual(before, { a: { deep: [{ n: 1 }] }, b: { n: 2 } });
  assert.equal(after.b, before.b);
});

test('__proto__ is a member like any other', () => {
  const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { x: 1 } }]) as object;
  assert.equal(Object.getPrototypeOf(patched), Object.prototype);
  assert.deepEqual(Object.keys(patched), ['__proto__']);
});

const pointer = (segments: readonly (string | number)[]) =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

test('adding then removing a member of any name gives the document back', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
      fc.string(),
      fc.jsonValue(),
      (members, name, value) => {
        fc.pre(!Object.hasOwn(members, name));
        const path = pointer([name]);
        const added = applyJsonPatch(members, [
          { op: 'add', path, value },
          { op: 'test', path, value },
        ]);
        assert.deepEqual(applyJsonPatch(added, [{ op: 'remove', path }]), members);
      },
    ),
  );
});

test('many operations on a frozen document act as a mutable list would', () => {
  const operation = fc.record({ op: fc.constantFrom('add', 'remove', 'replace'), at: fc.nat(6), value: fc.nat() });
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 5 }), fc.array(operation), (items, operations) => {
      const model = [...items];
      const patch = [];
      for (const { op, at, value } of operations) {
        if (op === 'add' ? at > model.length : at >= model.length) continue;
        model.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
        patch.push({ op, path: `/list/${at}`, value });
      }
      const frozen = Object.freeze({ list: Object.freeze([...items]) });
      assert.deepEqual(applyJsonPatch(frozen, patch), { list: model });
    }),
  );
});

test('a patch that doubles a value again and again is refused where a real API server refuses it', () => {
  const doubling = (times: number) =>
    Array.from({ length: times }, () => ({ op: 'copy', from: '/data', path: '/data/-' }));
  const grown = applyJsonPatch({ data: ['xxxxxxxx'] }, doubling(17)) as object;
  assert.ok(JSON.stringify(grown).length < 3 * 1024 * 1024);
  assert.throws(() => applyJsonPatch({ data: ['xxxxxxxx'] }, doubling(24)), {
    reason: 'Failed',
    message: /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  });
});

test('the size of a copy is that of its JSON, in bytes', () => {
  const value = { 'a"': ['é€😀', 1.5, null, true, {}, []], b: {} };
  const maxCopiedBytes = Buffer.byteLength(JSON.stringify(value));
  const patch = [{ op: 'copy', from: '/v', path: '/w' }];
  assert.deepEqual(applyJsonPatch({ v: value }, patch, { maxCopiedBytes }), { v: value, w: value });
  assert.throws(() => applyJsonPatch({ v: value }, patch, { maxCopiedBytes: maxCopiedBytes - 1 }), JsonPatchError);
});

const words: readonly (readonly [operation: object, message: string])[] = [
  [{ op: 'add', path: '/x/y' }, 'add operation does not apply: doc is missing path: "/x/y": missing value'],
  [{ op: 'add' }, 'add operation failed to decode path: missing value'],
  [
    { op: 'add', path: '/list/9' },
    "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'add', path: '/list/x' },
    `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [{ op: 'remove', path: '/x' }, "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"],
  [{ op: 'remove', path: '/list/x' }, `error in remove for path: '/list/x': strconv.Atoi: parsing "x": invalid syntax`],
  [{ op: 'replace', path: '/x/y' }, 'replace operation does not apply: doc is missing path: /x/y: missing value'],
  [{ op: 'replace', path: '/list/9' }, 'replace operation does not apply: doc is missing key: /list/9: missing value'],
  [{ op: 'replace' }, 'replace operation failed to decode path: operation missing path field: missing value'],
  [
    { op: 'move', from: '/x/y', path: '/a' },
    'move operation does not apply: doc is missing from path: /x/y: missing value',
  ],
  [
    { op: 'move', from: '/x', path: '/a' },
    "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
  ],
  [
    { op: 'move', from: '/list', path: '/x/y' },
    'move operation does not apply: doc is missing destination path: /x/y: missing value',
  ],
  [{ op: 'move', path: '/x' }, 'move operation failed to decode from: operation, missing from field: missing value'],
  [
    { op: 'copy', from: '/x/y', path: '/a' },
    'copy operation does not apply: doc is missing from path: /x/y: missing value',
  ],
  [
    { op: 'copy', from: '/list/9', path: '/a' },
    "error in copy for from: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [{ op: 'test', path: '/list', value: 1 }, 'testing value /list failed: test failed'],
  [{ op: 'frob', path: '/x' }, 'Unexpected kind: frob'],
];

for (const [operation, message] of words) {
  test(`${JSON.stringify(operation)} fails in the words of the server`, () => {
    assert.throws(() => applyJsonPatch({ list: [1] }, [operation]), { message });
  });
}
