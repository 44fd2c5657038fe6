import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duplicateMembers, mergedMembers } from './strict-json.ts';

const duplicates: readonly (readonly [string, readonly string[]])[] = [
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"spec":{"x":1,"x":2},"spec":{}}', ['spec.x', 'spec']],
  ['{"list":[{"a":1},{"a":1,"a":2}]}', ['list[1].a']],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['[]', []],
];

for (const [text, expected] of duplicates) {
  test(`${text} has ${expected.length === 0 ? 'nothing twice' : `${expected.join(' and ')} twice`}`, () => {
    assert.deepEqual(duplicateMembers(text), expected);
  });
}

const complaints: readonly (readonly [string, string])[] = [
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{bad', "invalid character 'b' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['{} x', "invalid character 'x' after top-level value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['-', 'unexpected end of JSON input'],
];

for (const [text, message] of complaints) {
  test(`${JSON.stringify(text)} is refused with ${JSON.stringify(message)}`, () => {
    assert.throws(() => duplicateMembers(text), { name: 'JsonSyntaxError', message });
  });
}

test('members that occur twice are merged where they are objects, and replaced where they are not', () => {
  const text = '{"data":{"x":"1","y":"1"},"data":{"y":"2"},"n":1,"n":2,"l":[1],"l":[]}';
  assert.deepEqual(mergedMembers(text), { data: { x: '1', y: '2' }, n: 2, l: [] });
});
