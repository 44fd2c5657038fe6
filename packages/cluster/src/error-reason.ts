/** Why something failed, for conditions and events: the server's own words, without what we did to hear them. */
import { isApiError } from '@keelson/core';

export function reasonOf(error: unknown): string {
  if (isApiError(error) && error.status.message) return error.status.message;
  return error instanceof Error ? error.message : String(error);
}
