import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsIn, listIn, objectIn } from './shape.ts';

const message = (what: string) => `do x: the answer is ${what}; does a proxy answer in the server's place?`;

test('what is no object is refused, whatever was asked for', () => {
  for (const [answer, what] of [
    [null, 'null'],
    [[], 'an array'],
    ['ok', 'a string'],
    [1, 'a number'],
    [true, 'a boolean'],
  ] as const) {
    for (const read of [fieldsIn, objectIn, listIn]) {
      const expected = { name: 'TransportError', message: message(`${what} and not an object`) };
      assert.throws(() => read('do x', answer), expected);
    }
  }
});

test('an object of a kind has metadata, and what a subresource answers need not', () => {
  for (const answer of [{}, { metadata: null }, { metadata: [] }, { metadata: 'x' }]) {
    assert.throws(() => objectIn('do x', answer), { message: message('an object without metadata') });
    assert.equal(fieldsIn('do x', answer), answer);
  }
  const object = { metadata: {} };
  assert.equal(objectIn('do x', object), object);
});

test('a list has items, and they are objects', () => {
  for (const answer of [{ metadata: {} }, { metadata: {}, items: {} }, { metadata: {}, items: 'x' }]) {
    assert.throws(() => listIn('do x', answer), { message: message('an object without items and not a list') });
  }
  for (const [item, what] of [
    [null, 'null'],
    [[], 'an array'],
    ['x', 'a string'],
  ] as const) {
    assert.throws(() => listIn('do x', { metadata: {}, items: [{ metadata: {} }, item] }), {
      message: message(`a list in which item 1 is ${what} and not an object`),
    });
  }
  for (const items of [null, [], [{ metadata: {} }, {}]])
    assert.deepEqual(listIn('do x', { metadata: {}, items }).items, items);
});
