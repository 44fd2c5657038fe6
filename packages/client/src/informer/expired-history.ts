/**
 * When the history that a watch would go on from is gone, so that only a new list can tell what happened since: the
 * server says so (410 Gone, with the reason Expired), has never known the resourceVersion (a restored backup), or refuses
 * to go on from it time and again.
 */
import { isApiError, isGone, isTooLargeResourceVersion, isTooManyRequests } from '@keelson/core';

const maxRefusals = 3;

export class ExpiredHistory {
  /** Failure answers since the last event. */
  #refusals = 0;

  /** The server goes on: an event came. */
  goesOn(): void {
    this.#refusals = 0;
  }

  /** Whether a watch that failed so needs a list before it can go on. */
  isLost(error: unknown): boolean {
    // To one who is told to come later, a list would only be more of a burden.
    if (isApiError(error) && !isTooManyRequests(error)) this.#refusals += 1;
    return isGone(error) || isTooLargeResourceVersion(error) || this.#refusals >= maxRefusals;
  }
}
