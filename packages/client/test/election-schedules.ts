/** Random schedules of faults, and what must hold under each. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { type Fault, simulate } from './election-simulation.ts';

const type = fc.constantFrom<Fault['type']>('stop', 'suspend', 'partition', 'slow', 'busy', 'jump', 'resign');
const forMs = fc.integer({ min: 1, max: 30_000 });
const isBack = fc.boolean();

/** Faults of one replica, each beginning when the one before it ends: what one leaves behind, the next may lay bare. */
const trouble = fc
  .record({
    replica: fc.integer({ min: 0, max: 2 }),
    // Often at the very beginning, when all compete.
    atMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 60_000 })),
    parts: fc.array(fc.record({ type, forMs, isBack }), { minLength: 1, maxLength: 3 }),
  })
  .map(({ replica, atMs, parts }) => {
    let beginsMs = atMs;
    return parts.map((part): Fault => {
      const fault = { ...part, replica, atMs: beginsMs };
      beginsMs += part.forMs;
      return fault;
    });
  });

const schedule = fc.record({
  seed: fc.integer(),
  // The longer messages are on their way, the more often a fault finds one there.
  latencyMs: fc.constantFrom(50, 500, 1500),
  faults: fc.array(trouble, { maxLength: 4 }).map((troubles) => troubles.flat()),
});

export interface Total {
  readonly terms: number;
  readonly writes: number;
}

const workers = 2;

/** Runs that many schedules in threads of their own. */
export async function runSchedules(schedules: number): Promise<Total> {
  const totals = await Promise.all(
    Array.from({ length: workers }, async () => {
      const url = new URL('./election-worker.ts', import.meta.url);
      const worker = new Worker(url, { workerData: Math.ceil(schedules / workers) });
      const [total] = (await once(worker, 'message')) as [Total]; // an error rejects
      return total;
    }),
  );
  const sum = (of: (total: Total) => number) => totals.reduce((all, total) => all + of(total), 0);
  return { terms: sum(({ terms }) => terms), writes: sum(({ writes }) => writes) };
}

/** Runs that many schedules; how many terms and writes they had. */
export async function assertOneLeader(schedules: number): Promise<Total> {
  const total = { terms: 0, writes: 0 };
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const { violations, terms, writes } = await simulate(each);
      assert.deepEqual(violations, []);
      total.terms += terms;
      total.writes += writes;
    }),
    { numRuns: schedules },
  );
  return total;
}
