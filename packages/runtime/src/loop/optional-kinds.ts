/**
 * Kinds that may be absent come and go: when the definition of one is installed or removed, everything is looked at again.
 *
 * A watch tells of objects, not of its kind, so its health is looked at from time to time; the first list is noticed at
 * once.
 */
import type { InformerHandle } from '@keelson/client';
import { anySignal, type Clock, isOptional, sleep } from '@keelson/core';
import { isAbsentKind } from '../cache/caches.ts';

const lookMs = 10_000;

/** Calls `onChange` with `Monitor is there now` or `Monitor is gone`, until the signal is aborted. Never rejects. */
export async function followOptionalKinds(
  informers: readonly InformerHandle[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  onChange: (cause: string) => void,
): Promise<void> {
  const followed = informers.filter(({ kind }) => isOptional(kind));
  if (followed.length === 0) return;
  const states = () => followed.map((each) => each.health.synced && !isAbsentKind(each));
  // Each is asked once: a race with what may never settle would keep something behind with every look.
  let wake = () => {};
  for (const { synced } of followed) synced.then(() => wake()).catch(() => {});
  for (let known = states(); !signal.aborted; ) {
    const early = new AbortController();
    wake = () => early.abort();
    using either = anySignal([signal, early.signal]);
    await sleep(clock, lookMs, either.signal).catch(() => {});
    if (signal.aborted) return;
    const now = states();
    for (const [i, isThere] of now.entries()) {
      if (isThere !== known[i]) onChange(`${followed[i]?.kind.kind} is ${isThere ? 'there now' : 'gone'}`);
    }
    known = now;
  }
}
