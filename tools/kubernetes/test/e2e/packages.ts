/** Debian's packages as a node uses them; fetched if this is the first time. */
import { systemClock, systemRandom } from '@keelson/core/system';
import { type DebianRoot, debianRoot } from '../../src/debian/packages.ts';
import { progressTo } from '../../src/machine/progress.ts';

export function packages(): Promise<DebianRoot> {
  const progress = progressTo(process.stderr, systemClock);
  return debianRoot({ env: process.env, clock: systemClock, random: systemRandom, progress });
}
