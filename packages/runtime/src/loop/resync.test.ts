import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import type { Caches } from '../cache/caches.ts';
import { controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import { keepResyncing } from './resync.ts';

/** What is resynced by a controller with these options, when chance says `next`. */
function resynced(options: { readonly resyncMs?: number }, next: number) {
  const timers = new Map<number, () => void>();
  const clock = {
    setTimer(delayMs: number, callback: () => void) {
      timers.set(delayMs, callback);
      return { unref() {}, [Symbol.dispose]: () => void timers.delete(delayMs) };
    },
  } as unknown as Clock;
  const named = (name: string) => ({ metadata: { name, namespace: 'default' } });
  const caches = { store: () => ({ list: () => [named('a'), named('b')] }) } as unknown as Caches;
  const woken: string[] = [];
  const one = controller({ for: ConfigMap, ...options, reconcile: async () => done });
  const random = { next: () => next, uuid: () => '' };
  const resync = keepResyncing({ controller: one, caches, clock, random }, (key) => void woken.push(key));
  return { timers, woken, resync };
}

test('the period is ten hours unless the controller says otherwise, and a tenth shorter or longer by chance', () => {
  const hour = 3_600_000;
  for (const [options, next, periodMs] of [
    [{}, 0, 9 * hour],
    [{}, 0.5, 10 * hour],
    [{}, 1, 11 * hour],
    [{ resyncMs: 1000 }, 0.5, 1000],
  ] as const) {
    assert.deepEqual([...resynced(options, next).timers.keys()], [periodMs]);
  }
  assert.deepEqual([...resynced({ resyncMs: Number.POSITIVE_INFINITY }, 0).timers.keys()], []);
});

test('everything is woken after each period, until it is disposed', () => {
  const { timers, woken, resync } = resynced({ resyncMs: 1000 }, 0.5);
  for (const expected of [
    ['default/a', 'default/b'],
    ['default/a', 'default/b'],
  ]) {
    const [[delayMs, callback] = [0, () => {}]] = timers;
    timers.delete(delayMs);
    callback();
    assert.deepEqual(woken.splice(0), expected);
    assert.equal(timers.size, 1);
  }
  resync[Symbol.dispose]();
  assert.equal(timers.size, 0);
});
