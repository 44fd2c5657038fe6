import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

test('the nearest word is the one that the fewest edits lead to', () => {
  const cases: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['help', ['heap', 'help'], 'help'],
    ['contxt', ['kubeconfig', 'context'], 'context'],
    ['ab', ['a', 'abc'], undefined],
    ['abc', ['ab', 'a'], 'ab'],
    ['abc', ['abcd'], 'abcd'],
    ['abc', ['abd'], 'abd'],
    ['abc', ['xbc'], 'xbc'],
    ['abc', ['abcde'], undefined],
    ['abc', ['xyc'], undefined],
    ['abcdef', ['abcdefgh'], 'abcdefgh'],
    ['abcdef', ['cdef'], 'cdef'],
    ['abcdef', ['bcdefa'], 'bcdefa'],
    ['abcdef', ['abcxyz'], undefined],
    ['abcdef', ['xyzabcdef'], undefined],
    ['abcdef', ['xabcdef'], 'xabcdef'],
    ['abc', [], undefined],
  ];
  for (const [word, choices, expected] of cases)
    assert.equal(nearest(word, choices), expected, `${word} of ${choices}`);
});
