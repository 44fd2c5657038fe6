/**
 * Whether a server that was replaced has filled its cache again: a pure judgement from what servers say.
 *
 * Items are compared with those of servers that still have to be replaced: keys are spread evenly over them, and nothing
 * has to be remembered from before the replacement. Hits are counted from the server's start, misses of its first
 * minutes included, so that the ratio is never flattered.
 */
import type { ServerStats } from './server-stats.ts';

/** When a server counts as warm, in percent; what is left out is not asked for. */
export interface WarmupGoal {
  readonly hitRatio?: number | undefined;
  readonly items?: number | undefined;
}

export type Warmth = { readonly isWarm: true } | { readonly isWarm: false; readonly why: string };

/** With fewer reads, a ratio says nothing. */
const fewestReads = 100;

/** `waiting`: servers that still have to be replaced. */
export function warmthOf(server: ServerStats, waiting: readonly ServerStats[], goal: WarmupGoal): Warmth {
  const { hitRatio = 0, items = 0 } = goal;
  const reads = server.hits + server.misses;
  if (hitRatio > 0 && reads < fewestReads) return cold(`${reads} reads, of ${fewestReads} that a hit ratio takes`);
  if (hitRatio > 0 && server.hits * 100 < hitRatio * reads) {
    return cold(`${Math.floor((server.hits * 100) / reads)} percent of its reads hit, of ${hitRatio}`);
  }
  const usual = mean(waiting.map((each) => each.items));
  if (server.items * 100 < items * usual) {
    return cold(`${server.items} items, of ${items} percent of the ${Math.round(usual)} that the others have`);
  }
  return { isWarm: true };
}

const cold = (why: string): Warmth => ({ isWarm: false, why });

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
