/**
 * Replicas that compete for one Lease in simulated time, under faults: processes that stop and go on, machines that are
 * suspended, networks that lose or delay messages, a server that is busy, wall clocks that jump, leaders that resign.
 *
 * Whoever leads writes all the time: by its own hand, after `term.assertCurrent`, and through a guarded client whose
 * requests wait for a connection. Each write is judged at the moment it begins, by what the server knows and by true
 * time, neither of which a replica can see: it must hold the Lease, and others must still have to wait for it.
 */
import { type Clock, type Random, sleep, type Timer, type Transport, type TransportResponse } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { createClient, createLeaderElection, isLeadershipLost, type Term } from '../src/index.ts';
import { busy, done, LeaseServer } from './lease-server.ts';
import { settled } from './manual-clock.ts';

export interface Fault {
  /**
   * stop: the process stands still, clocks go on. suspend: the machine stands still, and its monotonic clock with it.
   * partition: messages are lost. slow: each takes up to 20 s, and so does getting a connection. busy: the server says to
   * come back later. jump: the wall clock jumps, ahead or back. resign: the replica, if it leads, gives up.
   */
  readonly type: 'stop' | 'suspend' | 'partition' | 'slow' | 'busy' | 'jump' | 'resign';
  readonly replica: number;
  readonly atMs: number;
  readonly forMs: number;
  /** Of a jump. */
  readonly isBack: boolean;
}

export interface Schedule {
  readonly seed: number;
  /** The most that a message usually takes. */
  readonly latencyMs: number;
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

/** What others are promised, in the Lease. */
const leaseDurationMs = 15_000;
const writeEveryMs = 400;
/** When the last fault is over, and the last delayed message has come, someone must lead after this. */
const recoveryMs = 60_000;

export async function simulate({ seed, latencyMs, faults }: Schedule, replicas = 3): Promise<Outcome> {
  const random = seeded(seed);
  const violations: string[] = [];
  const durationMs = faults.reduce((end, { atMs, forMs }) => Math.max(end, atMs + forMs), 0) + recoveryMs;
  let nowMs = 0;
  let writes = 0;
  let lastWriteMs = 0;
  let terms = 0;
  const server = new LeaseServer();
  /** True time of the last write to the Lease. */
  let leaseWrittenMs = 0;
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

  const sumOf = (type: Fault['type'], replica: number, ms: (fault: Fault) => number) =>
    faults.reduce((sum, fault) => sum + (fault.type === type && fault.replica === replica ? ms(fault) : 0), 0);

  const clockOf = (replica: number): Clock => {
    // What a suspended machine sleeps and its wall clock is set back by the same amount, no process can know.
    const mayGoBack = sumOf('suspend', replica, () => 1) === 0;
    return {
      now: () =>
        nowMs +
        sumOf('jump', replica, ({ atMs, forMs, isBack }) => (nowMs < atMs ? 0 : isBack && mayGoBack ? -forMs : forMs)),
      monotonic: () =>
        nowMs - sumOf('suspend', replica, ({ atMs, forMs }) => Math.max(0, Math.min(nowMs - atMs, forMs))),
      setTimer: (delayMs, callback): Timer => {
        const happening = plan(delayMs, replica, callback);
        return { unref() {}, [Symbol.dispose]: () => agenda.delete(happening) };
      },
    };
  };

  /** A replica begins a write, now. */
  const judge = (replica: number, how: string) => {
    writes += 1;
    lastWriteMs = nowMs;
    const isHeld = server.holder === identityOf(replica);
    if (isHeld && nowMs < leaseWrittenMs + leaseDurationMs) return;
    const why = isHeld ? 'its lease could be taken' : `${server.holder} holds the lease`;
    violations.push(`${identityOf(replica)} begins a write ${how} at ${nowMs}, but ${why}`);
  };

  const transportOf = (replica: number): Transport => ({
    request: (request) =>
      new Promise<TransportResponse>((resolve, reject) => {
        const { signal } = request;
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        const delay = () => random.next() * (active('slow', replica, nowMs) ? 20_000 : latencyMs);
        const isLease = request.path.includes('/leases');
        plan(delay(), replica, () => {
          if (signal?.aborted) return; // before it had a connection
          try {
            request.beforeSend?.();
          } catch (error) {
            reject(error);
            return;
          }
          if (!isLease) judge(replica, 'through the client');
          if (active('partition', replica, nowMs)) return;
          plan(delay(), undefined, () => {
            const { revision } = server;
            const isBusy = active('busy', replica, nowMs) !== undefined && random.next() < 0.7;
            const response = isBusy ? busy() : isLease ? server.serve(request) : done();
            if (server.revision !== revision) leaseWrittenMs = nowMs;
            if (active('partition', replica, nowMs)) return; // it happened, but nobody is told
            plan(delay(), replica, () => resolve(response));
          });
        });
      }),
    async [Symbol.asyncDispose]() {},
  });

  const end = new AbortController();
  const live = async (replica: number): Promise<void> => {
    const clock = clockOf(replica);
    const identity = identityOf(replica);
    const client = createClient({ transport: transportOf(replica), clock, random });
    const election = createLeaderElection({ client, lease: 'x/lease', identity, clock, random, onError: () => {} });
    while (!end.signal.aborted) {
      const term: Term = await election.win(end.signal);
      terms += 1;
      const guarded = client.with({ guard: term.assertCurrent, signal: term.signal });
      const wonAt = nowMs;
      const resigns = () =>
        faults.some(
          (fault) => fault.type === 'resign' && fault.replica === replica && fault.atMs >= wonAt && fault.atMs <= nowMs,
        );
      let underWay = 0;
      let ticks = 0;
      while (!resigns()) {
        try {
          term.assertCurrent();
        } catch (error) {
          if (!isLeadershipLost(error)) throw error;
          break;
        }
        judge(replica, 'by hand');
        // Half as many of these: a request is dearer to simulate.
        if (++ticks % 2 === 0 && underWay < 3) {
          underWay += 1;
          void guarded
            .patch(ConfigMap, 'x/written', { data: { by: identity } })
            .catch(() => {})
            .finally(() => {
              underWay -= 1;
            });
        }
        await sleep(clock, writeEveryMs, end.signal);
      }
      const left = term[Symbol.asyncDispose]();
      if (random.next() < 0.5) await left; // the other half competes again while the Lease is being given back
    }
  };
  for (let replica = 0; replica < replicas; replica++) {
    void live(replica).catch((error: unknown) => {
      if (!end.signal.aborted) violations.push(`${identityOf(replica)} failed at ${nowMs}: ${error}`);
    });
  }

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
  if (lastWriteMs < durationMs - 5_000) violations.push(`nobody writes after ${lastWriteMs}, until ${durationMs}`);
  end.abort(new Error('the simulation is over'));
  return { violations, writes, terms };
}

const identityOf = (replica: number) => `replica-${replica}`;

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
