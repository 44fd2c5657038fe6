/**
 * Replicas that compete for one Lease in simulated time, under faults: processes that stop and go on, machines that are
 * suspended, networks that lose or delay messages, wall clocks that jump.
 *
 * Whoever leads writes all the time, and each write is checked at the moment it begins: the server must not have given
 * the Lease to another.
 */
import type { Clock, Random, Timer, Transport, TransportResponse } from '@keelson/core';
import { createClient, createLeaderElection, isLeadershipLost, type Term } from '../src/index.ts';
import { LeaseServer } from './lease-server.ts';
import { settled } from './manual-clock.ts';

interface Fault {
  /**
   * stop: the process stands still, clocks go on. suspend: the machine stands still, and its monotonic clock with it.
   * partition: messages are lost. slow: each takes up to 20 s. jump: the wall clock jumps ahead.
   */
  readonly type: 'stop' | 'suspend' | 'partition' | 'slow' | 'jump';
  readonly replica: number;
  readonly atMs: number;
  readonly forMs: number;
}

export interface Schedule {
  readonly seed: number;
  readonly faults: readonly Fault[];
}

export interface Outcome {
  readonly violations: readonly string[];
  readonly writes: number;
  /** How many terms began. */
  readonly terms: number;
}

interface Happening {
  readonly atMs: number;
  readonly order: number;
  /** Whose code runs; it waits while that replica stands still. */
  readonly replica: number | undefined;
  readonly run: () => void;
}

const durationMs = 90_000;
const writeEveryMs = 250;

export async function simulate({ seed, faults }: Schedule, replicas = 3): Promise<Outcome> {
  const random = seeded(seed);
  const violations: string[] = [];
  let nowMs = 0;
  let writes = 0;
  let terms = 0;
  const server = new LeaseServer();
  const agenda = new Set<Happening>();

  const active = (type: Fault['type'], replica: number, atMs: number) =>
    faults.find(
      (fault) =>
        fault.type === type && fault.replica === replica && atMs >= fault.atMs && atMs < fault.atMs + fault.forMs,
    );

  const stillUntil = (replica: number): number | undefined => {
    const fault = active('stop', replica, nowMs) ?? active('suspend', replica, nowMs);
    return fault && fault.atMs + fault.forMs;
  };

  const plan = (delayMs: number, replica: number | undefined, run: () => void): Happening => {
    // What is due at the same time happens in any order, as it does after a process has stood still.
    const happening = { atMs: nowMs + Math.max(0, delayMs), order: random.next(), replica, run };
    agenda.add(happening);
    return happening;
  };

  const clockOf = (replica: number): Clock => ({
    now: () =>
      nowMs +
      faults.reduce(
        (sum, { type, replica: of, atMs, forMs }) =>
          sum + (type === 'jump' && of === replica && nowMs >= atMs ? forMs : 0),
        0,
      ),
    monotonic: () =>
      nowMs -
      faults.reduce(
        (sum, { type, replica: of, atMs, forMs }) =>
          sum + (type === 'suspend' && of === replica ? Math.max(0, Math.min(nowMs - atMs, forMs)) : 0),
        0,
      ),
    setTimer: (delayMs, callback): Timer => {
      const happening = plan(delayMs, replica, callback);
      return { unref() {}, [Symbol.dispose]: () => agenda.delete(happening) };
    },
  });

  const transportOf = (replica: number): Transport => ({
    request: (request) =>
      new Promise<TransportResponse>((resolve, reject) => {
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason), { once: true });
        if (request.signal?.aborted) return reject(request.signal.reason);
        request.beforeSend?.();
        const delay = () => random.next() * (active('slow', replica, nowMs) ? 20_000 : 100);
        if (active('partition', replica, nowMs)) return;
        plan(delay(), undefined, () => {
          const response = server.serve(request);
          if (active('partition', replica, nowMs)) return; // it happened, but nobody is told
          plan(delay(), replica, () => resolve(response));
        });
      }),
    async [Symbol.asyncDispose]() {},
  });

  const end = new AbortController();
  const live = async (replica: number): Promise<void> => {
    const clock = clockOf(replica);
    const identity = `replica-${replica}`;
    const client = createClient({ transport: transportOf(replica), clock, random });
    const election = createLeaderElection({ client, lease: 'x/lease', identity, clock, random });
    while (!end.signal.aborted) {
      const term: Term = await election.win(end.signal);
      terms += 1;
      await new Promise<void>((over) => {
        const write = () => {
          try {
            term.assertCurrent();
          } catch (error) {
            if (!isLeadershipLost(error)) throw error;
            over();
            return;
          }
          writes += 1;
          if (server.holder !== identity)
            violations.push(`${identity} begins a write at ${nowMs}, but ${server.holder} holds the lease`);
          clock.setTimer(writeEveryMs, write);
        };
        write();
      });
      await term[Symbol.asyncDispose]();
    }
  };
  for (let replica = 0; replica < replicas; replica++) void live(replica).catch(() => {});

  await settled();
  while (nowMs < durationMs) {
    const next = first(agenda);
    if (!next || next.atMs >= durationMs) break;
    agenda.delete(next);
    nowMs = Math.max(nowMs, next.atMs);
    const later = next.replica === undefined ? undefined : stillUntil(next.replica);
    if (later === undefined) {
      next.run();
      await settled();
    } else agenda.add({ ...next, atMs: later, order: random.next() });
  }
  end.abort(new Error('the simulation is over'));
  return { violations, writes, terms };
}

function first(agenda: Iterable<Happening>): Happening | undefined {
  let earliest: Happening | undefined;
  for (const each of agenda) {
    if (!earliest || each.atMs < earliest.atMs || (each.atMs === earliest.atMs && each.order < earliest.order))
      earliest = each;
  }
  return earliest;
}

/** mulberry32: small, and good enough for schedules. */
function seeded(seed: number): Random {
  let state = seed | 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    },
    uuid: () => '00000000-0000-4000-8000-000000000000',
  };
}
