/** Programs of others, by which operators are installed, watched and looked at, for tests: built of their Go modules if need be. */
import { systemClock, systemRandom } from '@keelson/core/system';
import { findPrograms } from './binaries/lookup.ts';
import type { PeerProgram } from './binaries/programs.ts';
import { progressTo } from './machine/progress.ts';

/**
 * Where a program is, such as `crane`, `helm` or `operator-sdk`. Of ours there are `promql`, which reads expressions line by
 * line and prints their metrics, or what is wrong, and `bundle-validator`, which takes folders of bundles and prints a
 * finding on each line, as JSON. `scorecard-test` judges the bundle in /bundle by the check that is its argument.
 */
export async function peerProgram(program: PeerProgram): Promise<string> {
  const progress = progressTo(process.stderr, systemClock);
  // The folder of somebody else's Kubernetes has none of them.
  const env = { ...process.env, KUBEBUILDER_ASSETS: undefined };
  const context = { env, clock: systemClock, random: systemRandom, progress };
  return (await findPrograms([program], undefined, context)).path(program);
}
