import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineDiff } from './line-diff.ts';

const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

test('a change is shown with what stands around it, and with its line', () => {
  const before = text('a', 'b', 'c', 'd', 'e', 'f', 'g');
  assert.deepEqual(lineDiff(before, text('a', 'b', 'c', 'X', 'Y', 'e', 'f', 'g')), [
    '@@ 2',
    ' b',
    ' c',
    '-d',
    '+X',
    '+Y',
    ' e',
    ' f',
  ]);
  assert.deepEqual(lineDiff(before, before), []);
});

test('two places far from each other are two', () => {
  const before = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`);
  const after = before.toSpliced(1, 1).toSpliced(9, 0, 'new');
  assert.deepEqual(lineDiff(text(...before), text(...after)), [
    ...['@@ 1', ' line 1', '-line 2', ' line 3', ' line 4'],
    ...['@@ 9', ' line 9', ' line 10', '+new', ' line 11', ' line 12'],
  ]);
});

test('a text that was not there is new as a whole', () => {
  assert.deepEqual(lineDiff('', text('a', 'b')), ['@@ 0', '+a', '+b']);
});

test('texts that share too little to compare are shown whole, and quickly', () => {
  const long = (word: string) => text(...Array.from({ length: 3000 }, (_, i) => `${word} ${i}`));
  const lines = lineDiff(long('a'), long('b'));
  assert.deepEqual([lines.length, lines[1], lines[3001]], [6001, '-a 0', '+b 0']);
});

test('a newline that is missing at the end is shown', () => {
  const missing = '\\ No newline at end of file';
  assert.deepEqual(lineDiff('a\nb', 'a\nb\n'), ['@@ 1', ' a', '-b', missing, '+b']);
  assert.deepEqual(lineDiff('a\n', 'a'), ['@@ 1', '-a', '+a', missing]);
  assert.deepEqual(lineDiff('a', 'a'), []);
});
