import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, DeadlineExceededError, deadline, microTimestamp, sleep, timestamp } from './clock.ts';

/** A clock whose timers fire when the test says so. */
function clockWithTimers() {
  const pending = new Set<{ delayMs: number; callback: () => void }>();
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer(delayMs, callback) {
      const timer = { delayMs, callback };
      pending.add(timer);
      return { unref() {}, [Symbol.dispose]: () => void pending.delete(timer) };
    },
  };
  const fire = () => {
    for (const timer of [...pending]) {
      pending.delete(timer);
      timer.callback();
    }
  };
  return { clock, pending, fire };
}

test('a sleep ends with its timer', async () => {
  const { clock, pending, fire } = clockWithTimers();
  const slept = sleep(clock, 1000);
  assert.deepEqual(
    [...pending].map(({ delayMs }) => delayMs),
    [1000],
  );
  fire();
  await slept;
});

test('a sleep that is aborted leaves no timer behind', async () => {
  const { clock, pending } = clockWithTimers();
  const controller = new AbortController();
  const slept = sleep(clock, 1000, controller.signal);
  controller.abort(new Error('stop'));
  await assert.rejects(slept, /stop/);
  assert.equal(pending.size, 0);
  await assert.rejects(sleep(clock, 1000, controller.signal), /stop/);
  assert.equal(pending.size, 0);
});

test('a deadline aborts with a sentence, and leaves no timer when it is disposed', () => {
  const { clock, pending, fire } = clockWithTimers();
  {
    using unused = deadline(clock, 500, 'list pods');
    assert.ok(!unused.signal.aborted);
  }
  assert.equal(pending.size, 0);
  using late = deadline(clock, 500, 'list pods');
  fire();
  assert.ok(late.signal.reason instanceof DeadlineExceededError);
  assert.equal(late.signal.reason.message, 'list pods: no answer within 0.5 s');
});

test('a deadline ends with its parent, also one that is over already', () => {
  const { clock } = clockWithTimers();
  const parent = new AbortController();
  using child = deadline(clock, 500, 'x', parent.signal);
  parent.abort('over');
  assert.equal(child.signal.reason, 'over');
  using born = deadline(clock, 500, 'x', parent.signal);
  assert.equal(born.signal.reason, 'over');
});

test('instants are written as Kubernetes writes them', () => {
  const instant = Date.UTC(2026, 10, 15, 20, 54, 3, 7);
  assert.equal(timestamp(instant), '2026-11-15T20:54:03Z');
  assert.equal(microTimestamp(instant), '2026-11-15T20:54:03.007000Z');
});
