/** Answers with objects, in the form that the client wants them. */

import { negotiate } from '../encode/negotiate.ts';
import { assertFits, type ListMeta, type Representation, representation } from '../encode/representation.ts';
import { type ApiResponse, jsonType } from '../request/exchange.ts';
import { converted } from '../resource/conversions.ts';
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

export const objectResponse = async (
  status: number,
  represent: Representation,
  revision: Revision,
): Promise<ApiResponse> => ({
  status,
  headers,
  body: await converted(() => represent.object(revision)),
});

/** What a webhook has to convert is sent to it at once. */
export async function listResponse(
  { resource }: Call,
  represent: Representation,
  revisions: readonly Revision[],
  meta: ListMeta,
): Promise<ApiResponse> {
  await resource.strategy.ahead?.(revisions.map(({ object }) => object));
  return { status: 200, headers, body: await converted(() => represent.list(revisions, meta)) };
}
