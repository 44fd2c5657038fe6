import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { pass } from './log.ts';

/** A node that always has more, a reader who takes something when told to, and a clock that rings when told to. */
function scene() {
  const given = { chunks: 0, isOver: false };
  const rings: (() => void)[] = [];
  const left = new AbortController();
  const sink = {
    pending: 0,
    write(bytes: Buffer) {
      sink.pending += bytes.length;
    },
    abort() {},
    end() {},
  };
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; given.chunks < 100; given.chunks++) yield new Uint8Array(512 * 1024);
    } finally {
      given.isOver = true;
    }
  }
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer(_delayMs, callback) {
      rings.push(callback);
      return { unref() {}, [Symbol.dispose]: () => void rings.splice(0) };
    },
  };
  const passing = pass(endless(), sink, clock, left.signal);
  const settle = async () => {
    for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
  };
  return { given, rings, left, sink, passing, settle };
}

test('a node is asked for no more of a log than its reader takes', async () => {
  const { given, rings, sink, passing, settle, left } = scene();
  await settle();
  assert.equal(sink.pending, 3 * 512 * 1024);
  rings.shift()?.();
  await settle();
  assert.deepEqual([given.chunks, rings.length], [2, 1], 'nothing was taken');
  sink.pending = 0;
  rings.shift()?.();
  await settle();
  assert.deepEqual([given.chunks, sink.pending], [5, 3 * 512 * 1024]);
  left.abort(new Error('the reader left'));
  await assert.rejects(passing, { message: 'the reader left' });
  assert.deepEqual([given.isOver, rings.length], [true, 0]);
});
