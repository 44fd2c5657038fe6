/**
 * Waiting for a state of the cluster: time is moved until it is there.
 *
 * Promises: a wait for what never comes ends within seconds, and says what was waited for, what was there
 * instead, and which passes failed at that moment.
 */
import type { Client } from '@keelson/client';
import { type Kind, type NamespacedName, type ObjectOf, resourceNameOf } from '@keelson/core';
import { processorTimeMs } from '@keelson/core/system';
import type { Failures } from './failures.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Waiting by letting time pass. */
export interface Waits {
  /**
   * Lets time pass until the object is there and `holds`, and returns it. Fails with its last state, and with what passes
   * fail with, after `limitMs` of virtual time, when nothing is left that could happen, or when patience is lost.
   */
  eventually<K extends Kind>(
    kind: K,
    key: NamespacedName,
    holds?: (object: ObjectOf<K>) => boolean,
    limitMs?: number,
  ): Promise<ObjectOf<K>>;
  /** Lets time pass until the object is gone. Fails as `eventually` does. */
  eventuallyGone(kind: Kind, key: NamespacedName, limitMs?: number): Promise<void>;
}

const tenMinutes = 600_000;

/** Time of the processor, since a busy machine is not the test's fault. */
export function createWaits(clock: VirtualClock, client: Client, patienceMs: number, failures: Failures): Waits {
  const until = async (holds: () => Promise<boolean>, limitMs: number): Promise<string | undefined> => {
    const begunMs = clock.monotonic();
    const lostPatienceMs = processorTimeMs() + patienceMs;
    let isPatient = true;
    const took = await clock.advanceUntil(async () => {
      if (await holds()) return true;
      isPatient = processorTimeMs() < lostPatienceMs;
      return !isPatient;
    }, limitMs);
    const passedMs = clock.monotonic() - begunMs;
    if (took === undefined) return `within ${limitMs / 1000} s of virtual time`;
    return isPatient
      ? undefined
      : `in ${patienceMs / 1000} s of the processor's time, ${passedMs / 1000} s of virtual time`;
  };
  const failed = (message: string, key: NamespacedName): Error => {
    const { text, ...options } = failures.explain(key);
    return new Error(`${message}${text}`, options);
  };
  return {
    async eventually(kind, key, holds = () => true, limitMs = tenMinutes) {
      let last: ObjectOf<typeof kind> | undefined;
      const gaveUp = await until(async () => {
        last = await client.find(kind, key);
        return last !== undefined && holds(last);
      }, limitMs);
      if (gaveUp === undefined && last !== undefined) return last;
      const seen =
        last === undefined ? 'there is no such object' : `last seen: ${JSON.stringify(last, withoutManagers)}`;
      throw failed(`${resourceNameOf(kind)} ${key}: not ${holdsText(holds)} ${gaveUp}; ${seen}`, key);
    },
    async eventuallyGone(kind, key, limitMs = tenMinutes) {
      const gaveUp = await until(async () => (await client.find(kind, key)) === undefined, limitMs);
      if (gaveUp !== undefined) throw failed(`${resourceNameOf(kind)} ${key}: not gone ${gaveUp}`, key);
    },
  };
}

/** Who manages which field is long, and seldom why a state did not come. */
const withoutManagers = (name: string, value: unknown) => (name === 'managedFields' ? undefined : value);

/** The condition in the author's own words: its source. */
function holdsText(holds: (object: never) => boolean): string {
  const source = holds.toString().replaceAll(/\s+/g, ' ');
  return source === '() => true' ? 'there' : `so (${source.length > 200 ? `${source.slice(0, 200)}…` : source})`;
}

/** Lets time pass while `work` goes on; says what did not end when nothing is left that could happen. */
export async function during<T>(clock: VirtualClock, work: PromiseLike<T>, what: string): Promise<T> {
  let ended = false;
  const watched = (async () => work)().finally(() => {
    ended = true;
  });
  watched.catch(() => {}); // it is awaited below
  if ((await clock.advanceUntil(() => ended, tenMinutes)) === undefined)
    throw new Error(`${what}: not within ten minutes of virtual time`);
  return watched;
}
