import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalJson } from './equal-json.ts';

test('JSON values are equal whatever the order of their members, undefined being absent', () => {
  assert.ok(equalJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1, d: undefined }));
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], { 0: 1 }],
    [{ a: null }, {}],
    ['1', 1],
    [null, {}],
    [JSON.parse('{"__proto__":{}}'), {}],
    [JSON.parse('{"__proto__":{}}'), { a: {} }],
    [{ toString: 1 }, { a: 1 }],
  ]) {
    assert.ok(!equalJson(a, b), `${JSON.stringify(a)} ${JSON.stringify(b)}`);
  }
});
