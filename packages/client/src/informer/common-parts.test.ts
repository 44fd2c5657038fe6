import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalJson, type KubernetesObject } from '@keelson/core';
import fc from 'fast-check';
import { takeCommonParts } from './common-parts.ts';

type Thing = KubernetesObject & { readonly spec: unknown };

const thing = (spec: unknown, labels: Record<string, string> = {}): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', labels },
  spec,
});

const printed = (value: unknown) => JSON.stringify(value);

/** The spec that comes of it. */
function taken(spec: unknown, other: unknown): unknown {
  const object = thing(spec);
  takeCommonParts(object, thing(other));
  return object.spec;
}

test('equal parts are those of the other, at every depth', () => {
  const other = { same: { a: [{ b: 1 }] }, list: [{ c: 1 }, { d: 1 }], differs: { e: { f: 1 }, g: 1 } };
  const spec = taken(
    { same: { a: [{ b: 1 }] }, list: [{ c: 1 }, { d: 2 }], differs: { e: { f: 1 }, g: 2 } },
    other,
  ) as typeof other;
  assert.equal(spec.same, other.same);
  assert.equal(spec.list[0], other.list[0]);
  assert.equal(spec.differs.e, other.differs.e);
  assert.deepEqual(spec, { same: other.same, list: [{ c: 1 }, { d: 2 }], differs: { e: { f: 1 }, g: 2 } });
});

test('members have no order', () => {
  const other = { part: { b: 1, a: 1 } };
  assert.equal((taken({ part: { a: 1, b: 1 } }, other) as typeof other).part, other.part);
});

test('labels are parts as well; the object and its metadata are its own', () => {
  const [object, other] = [thing({}, { a: 'b' }), thing({}, { a: 'b' })];
  takeCommonParts(object, other);
  assert.equal(object.metadata.labels, other.metadata.labels);
  assert.notEqual(object.metadata, other.metadata);
});

test('what the other has more, less or of another type is not common', () => {
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [
      { a: 1, b: undefined },
      { a: 1, c: undefined },
    ],
    [[1], { 0: 1 }],
    [[], {}],
    [[1], [1, 2]],
    [null, {}],
    [{}, null],
    [1, '1'],
    [{ constructor: {} }, {}],
  ];
  for (const [ours, theirs] of pairs) {
    const spec = taken({ part: ours }, { part: theirs }) as { readonly part: unknown };
    assert.equal(spec.part, ours, JSON.stringify([ours, theirs]));
  }
});

test('what the other only inherits is not common', () => {
  const named = () => JSON.parse('{"__proto__":{}}') as object;
  const proto = (value: unknown): unknown => Object.getOwnPropertyDescriptor(value, '__proto__')?.value;
  assert.notEqual(proto(taken(named(), {})), Object.prototype);
  const object = Object.defineProperties(thing({}), Object.getOwnPropertyDescriptors(named()));
  takeCommonParts(object, thing({}));
  assert.notEqual(proto(object), Object.prototype);
});

test('an object stays equal to what came, and the other is left as it was', () => {
  // Few names and values, so that much is common.
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, 1, 'a', 'b'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree.map(printed), tree.map(printed), (ours, theirs) => {
      const [object, other] = [thing(JSON.parse(ours)), thing(JSON.parse(theirs))];
      takeCommonParts(object, other);
      assert.ok(equalJson(object.spec, JSON.parse(ours)));
      assert.equal(printed(other.spec), theirs);
    }),
  );
});

test('no depth is too much', () => {
  const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  assert.doesNotThrow(() => taken(deep(), deep()));
});
