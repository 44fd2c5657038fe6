/** GET of a collection: the latest state, or the one that the client names; whole, or page by page. */

import { type ListOptions, parseResourceVersion } from '../decode/options.ts';
import type { ListMeta } from '../encode/representation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { badRequest } from '../status.ts';
import { type Collection, compacted, firstNotBefore, withPrefix } from '../store/collection.ts';
import { decodeToken, tokenAfter } from '../store/continue-token.ts';
import type { Revision } from '../store/revision.ts';
import { type Selection, selectionOf } from '../watch/selection.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import { expiredList, expiredPage } from './expired.ts';
import { listResponse, representing } from './respond.ts';
import { waitForRevision } from './wait-for-revision.ts';

export async function list(context: Context, call: Call, options: ListOptions): Promise<ApiResponse> {
  const represent = representing(context, call, true);
  const { resource, namespace } = call;
  const selection = selectionOf(resource, namespace, options.labels, options.fields);
  const { ahead } = resource.strategy;
  // Whoever selects by fields looks into all of them.
  if (ahead && options.fields !== '')
    await ahead(
      context.store
        .collection(resource.collection)
        .list()
        .map(({ object }) => object),
    );
  const { revisions, meta } = await page(context, resource.collection, selection, options);
  return listResponse(call, represent, revisions, meta);
}

export interface Page {
  readonly revisions: readonly Revision[];
  readonly meta: ListMeta;
}

/** Selected objects from one state of the store. */
export async function page(
  context: Context,
  collectionName: string,
  selection: Selection,
  options: Pick<ListOptions, 'limit' | 'continueToken' | 'resourceVersion' | 'match'>,
): Promise<Page> {
  const { store } = context;
  const { continueToken, resourceVersion, match } = options;
  // Any state will do: it is given whole, as the real server gives it from its cache.
  const limit = resourceVersion === '0' ? 0 : options.limit;
  const prefix = selection.namespace === '' ? '' : `${selection.namespace}/`;
  const token = continueToken === '' ? undefined : decodeToken(continueToken);
  if (token !== undefined && resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const asked = token === undefined ? parseResourceVersion(resourceVersion, true) : (token.revision ?? 0);
  await waitForRevision(context, asked);
  const collection = store.collection(collectionName);
  const isExact = token?.revision !== undefined || match === 'Exact' || (match === '' && limit > 0 && asked > 0);
  const revision = isExact ? asked : store.revision;
  const state = stateAt(collection, revision, isExact, token);

  const inNamespace = withPrefix(state, prefix);
  const begin = token === undefined ? 0 : firstNotBefore(inNamespace, prefix + token.start);
  const rest = begin === 0 ? inNamespace : inNamespace.slice(begin);
  if (limit === 0) {
    const selected = selection.isEverything ? rest : rest.filter((each) => selection.matches(each));
    return { revisions: selected, meta: { resourceVersion: String(revision) } };
  }
  const revisions: Revision[] = [];
  let taken = 0;
  for (const each of rest) {
    if (revisions.length === limit) break;
    taken += 1;
    if (selection.matches(each)) revisions.push(each);
  }
  const last = rest[taken - 1];
  const hasMore = taken < rest.length && last !== undefined;
  return {
    revisions,
    meta: {
      resourceVersion: String(revision),
      ...(hasMore && { continue: tokenAfter(revision, last.key.slice(prefix.length)) }),
      // With a selector it is not known how many of the rest would be selected.
      ...(hasMore && selection.isEverything && { remainingItemCount: rest.length - taken }),
    },
  };
}

function stateAt(
  collection: Collection,
  revision: number,
  isExact: boolean,
  token: { readonly start: string } | undefined,
): readonly Revision[] {
  const state = isExact ? collection.listAt(revision) : collection.list();
  if (state !== compacted) return state;
  throw token === undefined ? expiredList() : expiredPage(token.start);
}
