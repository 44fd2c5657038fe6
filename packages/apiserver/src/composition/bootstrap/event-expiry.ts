/** Events last an hour after they were last written; the server removes them by itself. */
import type { Timer } from '@keelson/core';
import type { Context } from '../../verbs/context.ts';

const lifetimeMs = 3_600_000;

export function expireEvents({ store, clock }: Context): Disposable {
  const events = store.collection('events');
  /** By key, in the order in which they will expire, for every write puts its event last. */
  const due = new Map<string, number>();
  let timer: Timer | undefined;

  const schedule = () => {
    const [first] = due.values();
    if (timer !== undefined || first === undefined) return;
    timer = clock.setTimer(Math.max(first - clock.monotonic(), 0), expire);
    timer.unref();
  };
  const expire = () => {
    timer = undefined;
    for (const [key, at] of due) {
      if (at > clock.monotonic()) break;
      due.delete(key);
      const existing = events.get(key);
      if (existing !== undefined) store.delete(events, existing);
    }
    schedule();
  };
  const listening = store.listen((collection, { type, revision }) => {
    if (collection !== events) return;
    due.delete(revision.key);
    if (type !== 'DELETED') due.set(revision.key, clock.monotonic() + lifetimeMs);
    schedule();
  });
  return {
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}
