import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePath } from './json-path.ts';

const object = {
  metadata: { labels: { 'a.b/c': 'x' } },
  spec: {
    size: 3,
    list: [
      { name: 'a', n: 1 },
      { name: 'b', n: 2 },
    ],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Old', status: 'False' },
    ],
  },
};

const cases: readonly (readonly [string, readonly unknown[]])[] = [
  ['.spec.size', [3]],
  ['spec.size', [3]],
  ['.spec.none.deep', []],
  ['.spec.list[1].name', ['b']],
  ['.spec.list[-1].name', ['b']],
  ['.spec.list[*].name', ['a', 'b']],
  ['.spec.list[7].name', []],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type!='Ready')].status", ['False']],
  ['.spec.list[?(@.n==2)].name', ['b']],
  [".metadata.labels['a.b/c']", ['x']],
  ['.metadata.labels.a\\.b/c', ['x']],
];

for (const [path, expected] of cases) {
  test(`${path} finds ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(compilePath(path)(object), expected);
  });
}

test('a path that cannot be read is refused', () => {
  assert.throws(() => compilePath('.spec[?(1 > 2)]'), TypeError);
});
