/** GET of one object. */
import type { Call, Context } from '../context.ts';
import { parseResourceVersion } from '../decode/options.ts';
import type { ApiResponse } from '../exchange.ts';
import { keyIn } from '../resources/resource.ts';
import { notFound, resourceNamed } from '../status.ts';
import { waitForRevision } from './freshness.ts';
import { objectResponse, representing } from './respond.ts';

export async function get(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name } = call;
  const represent = representing(context, call, false);
  await waitForRevision(context, parseResourceVersion(request.query.get('resourceVersion') ?? ''));
  const found = context.store.collection(resource.collection).get(keyIn(namespace, name));
  if (found === undefined) throw notFound(resourceNamed(resource), name);
  return objectResponse(200, represent, found);
}
