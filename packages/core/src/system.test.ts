import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from './system.ts';

const dayMs = 86_400_000;
/** The longest that Node waits for at once; its mock takes what is set meanwhile for set at the end. */
const stageMs = 0x7fffffff;

function advance({ mock }: TestContext, ms: number): void {
  for (let left = ms; left > 0; left -= stageMs) mock.timers.tick(Math.min(left, stageMs));
}

test('a timer fires once, after its time, however long that is', (t) => {
  for (const delayMs of [0, -5, Number.NaN, 1, dayMs, 30 * dayMs, 60 * dayMs]) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let fired = 0;
    systemClock.setTimer(delayMs, () => {
      fired += 1;
    });
    advance(t, delayMs - 1);
    assert.equal(fired, 0, `${delayMs} ms are not over`);
    t.mock.timers.tick(1);
    assert.equal(fired, 1, `${delayMs} ms are over`);
    advance(t, 100 * dayMs);
    assert.equal(fired, 1);
    t.mock.timers.reset();
  }
});

test('a timer that is disposed does not fire, in whichever stage it is', (t) => {
  for (const afterMs of [0, 10 * dayMs, 40 * dayMs]) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const timer = systemClock.setTimer(50 * dayMs, () => assert.fail(`${afterMs} ms`));
    advance(t, afterMs);
    timer[Symbol.dispose]();
    advance(t, 100 * dayMs);
    t.mock.timers.reset();
  }
});

test('a timer that nobody waits for keeps no process alive, in whichever stage it is', (t) => {
  const referenced: boolean[] = [];
  t.mock.method(globalThis, 'setTimeout', (callback: () => void) => {
    const at = referenced.push(true) - 1;
    if (referenced.length === 1) queueMicrotask(callback);
    return {
      unref() {
        referenced[at] = false;
      },
    };
  });
  systemClock.setTimer(50 * dayMs, () => {}).unref();
  return Promise.resolve().then(() => assert.deepEqual(referenced, [false, false]));
});
