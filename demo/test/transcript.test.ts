import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAsShown, stepsOf } from './transcript.ts';

test('a page is its commands and what they print', () => {
  const page = ['text', '```console', '$ one', 'a', 'b', '$ two', '```', '$ no', '```sh', '$ no', '```'].join('\n');
  assert.deepEqual(stepsOf(page), [
    { line: 3, command: 'one', expected: 'a\nb' },
    { line: 6, command: 'two', expected: '' },
  ]);
});

test('dots stand for the rest of a line, or for lines, and for nothing else', () => {
  for (const [printed, shown, expected] of [
    ['', '', true],
    ['a', '', false],
    ['NAME   AGE\ncache  5s\n', 'NAME AGE\ncache …', true],
    ['NAME   AGE\ncache  5s\nother 5s\n', 'NAME AGE\ncache …', false],
    ['a\nb\nc\nd', 'a\n…\nd', true],
    ['a\nd', 'a\n…\nd', true],
    ['a\nb', 'a\n…\nd', false],
    ['a.b', 'axb', false],
    ['axb', 'a.b', false],
  ] as const) {
    assert.equal(isAsShown(printed, shown), expected, `${printed} as ${shown}`);
  }
});
