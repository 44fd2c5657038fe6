/** Random schedules of faults, and what must hold under each. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { simulate } from './election-simulation.ts';

const fault = fc.record({
  type: fc.constantFrom('stop' as const, 'suspend' as const, 'partition' as const, 'slow' as const, 'jump' as const),
  replica: fc.integer({ min: 0, max: 2 }),
  atMs: fc.integer({ min: 0, max: 80_000 }),
  forMs: fc.integer({ min: 1, max: 40_000 }),
});

/** Runs that many schedules; how many terms and writes they had. */
export async function assertOneLeader(schedules: number): Promise<{ readonly terms: number; readonly writes: number }> {
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
