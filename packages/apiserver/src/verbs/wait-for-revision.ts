/** A client may ask for a state that it has heard of and we have not reached: it gets a few seconds, then a refusal. */

import { tooLargeResourceVersion } from '../status.ts';
import type { Context } from './context.ts';

const patienceMs = 3000;

export async function waitForRevision({ store, clock }: Context, revision: number): Promise<void> {
  if (revision <= store.revision) return;
  if (await store.reached(revision, clock, patienceMs)) return;
  throw tooLargeResourceVersion(revision, store.revision);
}
