import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, exactly, including } from './match.ts';

const cases: readonly [what: string, actual: unknown, expected: unknown, lines: readonly string[]][] = [
  ['equal values', { a: 1 }, { a: 1 }, []],
  ['another value', { a: 1 }, { a: 2 }, ['a: expected 2, got 1']],
  ['a number for a string', { a: 1 }, { a: '1' }, ['a: expected "1", got 1']],
  ['null for absence', { a: null }, { a: undefined }, ['a: expected nothing, got null']],
  ['absence for null', {}, { a: null }, ['a: expected null, got nothing']],
  ['absence', {}, { a: undefined }, []],
  ['more than is named', { a: 1, b: 2 }, { a: 1 }, []],
  ['more than is named, exactly', { a: 1, b: 2 }, exactly({ a: 1 }), ['b: expected nothing, got 2']],
  ['more further down, exactly', { a: { b: 1 } }, exactly({ a: {} }), ['a.b: expected nothing, got 1']],
  ['exactly one part', { a: { b: 1 }, c: 1 }, { a: exactly({ b: 1 }) }, []],
  ['more in a list, exactly', [{ a: 1, b: 2 }], exactly([{ a: 1 }]), ['[0].b: expected nothing, got 2']],
  ['a longer list', { a: [1, 2] }, { a: [1] }, ['a: expected 1 elements, got 2']],
  ['a shorter list', [1], [1, 2], ['the answer: expected 2 elements, got 1', '[1]: expected 2, got nothing']],
  ['no list', {}, [], ['the answer: expected a list, got {}']],
  ['a list for an object', [], {}, ['the answer: expected an object, got []']],
  ['an element among others', [1, { a: 1, b: 2 }], including({ a: 1 }), []],
  ['no such element', [{ a: 2 }], including({ a: 1 }), ['the answer: no element like {"a":1}']],
  [
    'an element that is more, exactly',
    [{ a: 1, b: 2 }],
    including(exactly({ a: 1 })),
    ['the answer: no element like {"a":1}'],
  ],
  ['a text that matches', 'abc', /^a/, []],
  ['a text that does not match', 'abc', /^b/, ['the answer: expected /^b/, got "abc"']],
  ['a number is no text', 5, /5/, ['the answer: expected /5/, got 5']],
  ['a member that only the prototype has is absent', {}, { toString: undefined }, []],
  ['a predicate that holds', 5, (value: unknown) => value === 5, []],
  [
    'keys that are no words',
    { 'f:a': { 'x.y/z': 1 } },
    { 'f:a': { 'x.y/z': 2 } },
    ['["f:a"]["x.y/z"]: expected 2, got 1'],
  ],
];

for (const [what, actual, expected, lines] of cases) {
  test(`match: ${what}`, () => assert.deepEqual(differences(actual, expected), lines));
}

test('match: a predicate that does not hold is named', () => {
  const isEven = (value: unknown) => Number(value) % 2 === 0;
  assert.deepEqual(differences({ a: 5 }, { a: isEven }), ['a: expected isEven, got 5']);
});
