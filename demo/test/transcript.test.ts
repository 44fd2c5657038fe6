import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { isAsShown, printedAsShown, stepsOf } from './transcript.ts';

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

/** Pauses are over at once, and the deadline never comes. */
const hasty: Clock = {
  now: () => 0,
  monotonic: () => 0,
  setTimer(delayMs, callback) {
    if (delayMs < 1000) queueMicrotask(callback);
    return { unref() {}, [Symbol.dispose]() {} };
  },
};

test('what only reads is asked until it is as shown, what changes something is done once', async () => {
  for (const [command, expected] of [
    ['kubectl get pods', ['a', 'b']],
    ['kubectl logs job/a', ['a', 'b']],
    ['kubectl delete pod a', ['a']],
    ['kubectl get pods -o name | xargs kubectl delete', ['a']],
  ] as const) {
    const asked: string[] = [];
    const run = async () => asked[asked.push(asked.length === 0 ? 'a' : 'b') - 1] ?? '';
    assert.equal(await printedAsShown({ command, expected: 'b' }, run, hasty), expected.at(-1), command);
    assert.deepEqual(asked, expected, command);
  }
});
