/**
 * Mistakes: what goes wrong at a pass since its author's code is wrong, whatever the cluster does.
 *
 * A write or a call that is not awaited, an answer that is no outcome, a thrown value that is no error. All else that a
 * pass throws may be the cluster's doing.
 */
import type { NamespacedName } from '@keelson/core';

/** A mistake of the author's code, and the object at which it showed. */
export interface Mistake {
  /** The name of the controller. */
  readonly controller: string;
  readonly key: NamespacedName;
  readonly error: Error;
}

const codes: ReadonlySet<unknown> = new Set(['ERR_NOT_AWAITED', 'ERR_OUTCOME', 'ERR_THROWN_VALUE']);

export const isMistake = (error: Error): boolean => codes.has((error as Error & { readonly code?: unknown }).code);
