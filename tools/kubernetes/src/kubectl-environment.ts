/** Our kubectl for a cluster that somebody else runs, such as the embedded one. */
import { delimiter, dirname } from 'node:path';
import type { Clock } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { findPrograms } from './binaries/lookup.ts';
import type { Environment } from './machine/context.ts';
import { progressTo } from './machine/progress.ts';

export interface KubectlEnvironmentOptions {
  /** @default process.env */
  readonly env?: Environment;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** The environment with KUBECONFIG set and our kubectl, which is built if need be, first on the PATH. */
export async function kubectlEnvironment(
  kubeconfig: string,
  { env = process.env, clock = systemClock }: KubectlEnvironmentOptions = {},
): Promise<Environment> {
  const progress = progressTo(process.stderr, clock);
  const programs = await findPrograms(['kubectl'], undefined, { env, clock, random: systemRandom, progress });
  const path = [dirname(programs.path('kubectl')), env.PATH].filter(Boolean).join(delimiter);
  return { ...env, KUBECONFIG: kubeconfig, PATH: path };
}
