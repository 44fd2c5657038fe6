/** Random schedules of faults, and what must hold under each. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { simulate } from './election-simulation.ts';

const fault = fc.record({
  type: fc.constantFrom('stop' as const, 'suspend' as const, 'partition' as const, 'slow' as const, 'jump' as const),
  replica: fc.integer({ min: 0, max: 2 }),
  atMs: fc.integer({ min: 0, max: 80_000 }),
  forMs: fc.integer({ min: 1, max: 40_000 }),
});

export interface Total {
  readonly terms: number;
  readonly writes: number;
}

/** Runs that many schedules in a thread of their own. */
export async function runSchedules(schedules: number): Promise<Total> {
  const worker = new Worker(new URL('./election-worker.ts', import.meta.url), { workerData: schedules });
  const [total] = (await once(worker, 'message')) as [Total]; // an error rejects
  return total;
}

/** Runs that many schedules; how many terms and writes they had. */
export async function assertOneLeader(schedules: number): Promise<Total> {
  const total = { terms: 0, writes: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(fault, { maxLength: 8 }), async (seed, faults) => {
      const { violations, terms, writes } = await simulate({ seed, faults });
      assert.deepEqual(violations, []);
      total.terms += terms;
      total.writes += writes;
    }),
    { numRuns: schedules },
  );
  return total;
}
