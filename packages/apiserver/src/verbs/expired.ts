/**
 * 410 Expired: a client asks for a state that is no longer kept, and has to list again.
 *
 * Compaction forgets states (`store/collection.ts`); lists and watches refuse them here, in the words of the real server.
 */
import { StatusError } from '../status.ts';
import { encodeToken } from '../store/continue-token.ts';

const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

/** A watch is told so in its first event. */
export const expiredWatch = (since: number, oldest: number): StatusError =>
  expired(`too old resource version: ${since} (${oldest})`);

export const expiredList = (): StatusError => expired('The resourceVersion for the provided list is too old.');

/** With a token by which the client may go on from `start`, with whatever there is now. */
export function expiredPage(start: string): StatusError {
  const refusal = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  Object.assign(refusal.status, { metadata: { continue: encodeToken({ revision: undefined, start }) } });
  return refusal;
}
