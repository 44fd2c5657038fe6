/** Programs of others, by which operators are installed, watched and looked at, for tests: built of their Go modules if need be. */
import { systemClock, systemRandom } from '@keelson/core/system';
import { findPrograms } from './binaries/lookup.ts';
import type { PeerProgram } from './binaries/programs.ts';
import { progressTo } from './machine/progress.ts';

/**
 * Where `crane` or `helm` is, or `promql`, which reads expressions line by line and prints their metrics, or what is wrong, or
 * `bundle-validator`, which takes folders of bundles and prints a finding on each line, as JSON.
 */
export async function peerProgram(program: PeerProgram): Promise<string> {
  const progress = progressTo(process.stderr, systemClock);
  // The folder of somebody else's Kubernetes has none of them.
  const env = { ...process.env, KUBEBUILDER_ASSETS: undefined };
  const context = { env, clock: systemClock, random: systemRandom, progress };
  return (await findPrograms([program], undefined, context)).path(program);
}
