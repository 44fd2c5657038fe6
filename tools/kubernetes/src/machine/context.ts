/** What every part of this package takes from the outside: the environment, time, randomness, a place to report. */
import type { Clock, Random } from '@keelson/core';
import type { Progress } from './progress.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Context {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly progress: Progress;
  /** Aborting it ends what is under way; whoever started it then cleans up. */
  readonly signal?: AbortSignal | undefined;
}
