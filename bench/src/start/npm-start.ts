/**
 * What someone waits for who types `npm start` for the first time: a cluster, the operator, and the sample Available.
 *
 * npm's own time is left out. One second of it is the simulated node's, whose containers take that long to be ready.
 */
import { fileURLToPath } from 'node:url';
import type { Benchmark } from '../benchmark.ts';
import { startProgram } from './program.ts';
import { residentMb } from './resident.ts';

const demo = fileURLToPath(new URL('../../../demo/src/main.ts', import.meta.url));

export const npmStart: Benchmark = {
  measures: [
    { name: 'npm start, until the sample is Available', unit: 'ms' },
    { name: 'npm start, memory by then', unit: 'MB' },
  ],
  async ours(clock) {
    const begun = clock.monotonic();
    await using program = startProgram([demo], clock);
    await program.line(/^Memcached +memcached-sample +.*\bAvailable=True/);
    return [clock.monotonic() - begun, residentMb([program.pid])];
  },
};
