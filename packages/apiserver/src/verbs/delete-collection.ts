/** DELETE of a collection: of everything in it that is selected, one object after the other. */

import { deleteOptions, listOptions } from '../decode/options.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { selectionOf } from '../watch/selection.ts';
import { deleteObject } from '../write/delete.ts';
import { type Call, writeOf } from './call.ts';
import type { Context } from './context.ts';
import { optionsBody } from './delete.ts';
import { page } from './list.ts';
import { listResponse, representing } from './respond.ts';

export async function deleteCollection(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace } = call;
  const represent = representing(context, call, true);
  const selected = listOptions(request.query, false);
  const options = deleteOptions(request.query, await optionsBody(call));
  const selection = selectionOf(resource, namespace, selected.labels, selected.fields);
  const { revisions, meta } = await page(context, resource.collection, selection, selected);
  const write = writeOf(call, options);
  for (const { key } of revisions) {
    const deleted = deleteObject(context, write, key, options);
    if (deleted instanceof Promise) await deleted;
  }
  return listResponse(call, represent, revisions, meta);
}
