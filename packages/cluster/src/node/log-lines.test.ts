import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosen, linesOf, shown } from './log-lines.ts';

const output = [
  { afterMs: 0, text: 'one\ntwo\n' },
  { afterMs: 2000, text: 'three' },
];
const run = { startedAtMs: 10_000, endedAtMs: undefined, output };
const lines = linesOf(run);
const all = { tailLines: undefined, sinceSeconds: undefined, sinceTime: undefined };
const texts = (of: typeof lines) => of.map(({ text }) => text);

test('a run writes its lines at their times, until it ends', () => {
  assert.deepEqual(lines, [
    { atMs: 10_000, text: 'one\n' },
    { atMs: 10_000, text: 'two\n' },
    { atMs: 12_000, text: 'three' },
  ]);
  assert.deepEqual(texts(linesOf({ ...run, endedAtMs: 11_000 })), ['one\n', 'two\n']);
});

test('the last lines, or those since a time, are what is asked for', () => {
  assert.deepEqual(texts(chosen(lines, all, 13_000)), ['one\n', 'two\n', 'three']);
  assert.deepEqual(texts(chosen(lines, { ...all, tailLines: 2 }, 13_000)), ['two\n', 'three']);
  assert.deepEqual(texts(chosen(lines, { ...all, tailLines: 0 }, 13_000)), []);
  assert.deepEqual(texts(chosen(lines, { ...all, sinceSeconds: 2 }, 13_000)), ['three']);
  assert.deepEqual(texts(chosen(lines, { ...all, sinceTime: '1970-01-01T00:00:11Z' }, 13_000)), ['three']);
});

test('a line begins with its time if that is wanted', () => {
  assert.equal(shown({ atMs: 1500, text: 'a\n' }, { timestamps: true }), '1970-01-01T00:00:01.500000000Z a\n');
  assert.equal(shown({ atMs: 1500, text: 'a\n' }, { timestamps: false }), 'a\n');
});
