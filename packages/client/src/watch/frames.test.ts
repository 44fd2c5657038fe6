import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buffersAfterCollection } from '../../test/heap.ts';
import { FrameSplitter } from './frames.ts';

const unexpected = (bytes: number) => assert.fail(`${bytes} bytes are too long`);

function split(chunks: readonly Uint8Array[]): string[] {
  const splitter = new FrameSplitter({ onTooLong: unexpected });
  const lines = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.rest();
  return textsOf(rest === undefined ? lines : [...lines, rest]);
}

function textsOf(lines: readonly Buffer[]): string[] {
  return lines.map((line) => line.toString('utf8'));
}

test('a line is complete with its newline, and what follows waits', () => {
  const splitter = new FrameSplitter({ onTooLong: unexpected });
  const push = (text: string) => textsOf(splitter.push(Buffer.from(text)));
  assert.deepEqual(push('{"a":1}\n{"b"'), ['{"a":1}']);
  assert.deepEqual(push(':2}'), []);
  assert.deepEqual(push('\n\n'), ['{"b":2}']);
  assert.equal(splitter.rest(), undefined);
});

test('the lines are the same however the bytes are cut, also in the middle of a character', () => {
  const line = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const borders = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = borders.slice(1).map((end, i) => bytes.subarray(borders[i], end));
      // Encoding replaces lone surrogates, so what was sent is what the bytes say.
      const sent = lines.map((each) => Buffer.from(each).toString()).filter((each) => each !== '');
      assert.deepEqual(split(chunks), sent);
    }),
  );
});

test('a line that is too long is left out and told, and those after it come', () => {
  const tooLong: number[] = [];
  const splitter = new FrameSplitter({ onTooLong: (bytes) => tooLong.push(bytes), maxLineBytes: 10 });
  const push = (text: string) => textsOf(splitter.push(Buffer.from(text)));
  assert.deepEqual([push('0123456'), push('789'), push('\n')], [[], [], ['0123456789']]);
  assert.deepEqual([push('0123456'), push('7890'), push('1')], [[], [], []]);
  assert.deepEqual(tooLong, []);
  assert.deepEqual(push('2\nnext\n'), ['next']);
  assert.deepEqual(tooLong, [13]);
  push('01234567890');
  assert.equal(splitter.rest(), undefined);
  assert.deepEqual(tooLong, [13, 11]);
});

test('a line without end does not fill the memory', () => {
  const splitter = new FrameSplitter({ onTooLong: unexpected });
  const before = buffersAfterCollection();
  // Other chunks each time, as a socket brings them: one and the same would need no memory.
  for (let i = 0; i < 20; i++) splitter.push(Buffer.alloc(16 * 1024 * 1024, 'x'));
  const grown = buffersAfterCollection() - before;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes are held`);
});
