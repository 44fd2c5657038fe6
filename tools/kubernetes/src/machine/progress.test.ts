import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { duration, progressTo } from './progress.ts';

/** A clock that stands still until told; it fires timers as it passes them. */
function manualClock() {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimer(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return {
        unref() {},
        [Symbol.dispose]() {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
  };
  const advance = (ms: number) => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { callback } of due) callback();
  };
  return { clock, advance, pending: () => timers.length };
}

function target(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => void written.push(text) };
}

test('away from a terminal, an activity is one line with its duration', () => {
  const { clock, advance } = manualClock();
  const log = target(false);
  const activity = progressTo(log, clock).begin('kube-apiserver');
  advance(343_000);
  activity.done();
  assert.deepEqual(log.written, ['  kube-apiserver took 5 min 43 s\n']);
});

test('on a terminal, the line is drawn again every second, and its timer ends with the activity', () => {
  const { clock, advance, pending } = manualClock();
  const terminal = target(true);
  const activity = progressTo(terminal, clock).begin('etcd');
  advance(1000);
  advance(1000);
  activity.failed();
  assert.deepEqual(terminal.written, [
    '\r\u001b[K  etcd … 0.0 s',
    '\r\u001b[K  etcd … 1.0 s',
    '\r\u001b[K  etcd … 2.0 s',
    '\r\u001b[K  etcd failed after 2.0 s\n',
  ]);
  assert.equal(pending(), 0);
});

for (const [ms, text] of [
  [0, '0.0 s'],
  [3249, '3.2 s'],
  [59_949, '59.9 s'],
  [59_951, '1 min 0 s'],
  [343_400, '5 min 43 s'],
] as const) {
  test(`${ms} ms are told as ${text}`, () => assert.equal(duration(ms), text));
}
