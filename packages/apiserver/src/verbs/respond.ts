/** Answers with objects, in the form that the client wants them. */

import { negotiate } from '../encode/negotiate.ts';
import { assertFits, type ListMeta, type Representation, representation } from '../encode/representation.ts';
import { type ApiResponse, jsonType } from '../request/exchange.ts';
import type { Revision } from '../store/revision.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';

/** Negotiated before anything else is done, so that a request whose answer the client could not read does nothing. */
export function representing({ clock }: Context, { request, resource }: Call, isList: boolean): Representation {
  const form = negotiate(request.headers.accept);
  assertFits(resource, form, isList);
  return representation(resource, form, { query: request.query, now: () => clock.now() });
}

const headers = { 'content-type': jsonType };

export const objectResponse = (status: number, represent: Representation, revision: Revision): ApiResponse => ({
  status,
  headers,
  body: represent.object(revision),
});

export const listResponse = (
  represent: Representation,
  revisions: readonly Revision[],
  meta: ListMeta,
): ApiResponse => ({
  status: 200,
  headers,
  body: represent.list(revisions, meta),
});
