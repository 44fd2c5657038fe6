/** GET of one object. */

import { parseResourceVersion } from '../decode/options.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { keyIn } from '../resource/resource.ts';
import { notFound, resourceNamed } from '../status.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';
import { waitForRevision } from './wait-for-revision.ts';

export async function get(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name } = call;
  const represent = representing(context, call, false);
  await waitForRevision(context, parseResourceVersion(request.query.get('resourceVersion') ?? ''));
  const found = context.store.collection(resource.collection).get(keyIn(namespace, name));
  if (found === undefined) throw notFound(resourceNamed(resource), name);
  return objectResponse(200, represent, found);
}
