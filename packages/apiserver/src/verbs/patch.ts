/** PATCH of an object, or of one of its endpoints, by one of four types. */

import type { ApiResponse } from '../request/exchange.ts';
import type { UpdateRules } from '../resource/resource.ts';
import { commitUpdate } from '../write/commit.ts';
import { assertName, inNamespace } from '../write/metadata.ts';
import type { Call, Context } from './context.ts';
import { patchedObject } from './patched-object.ts';
import { readPatch } from './read-patch.ts';
import { objectResponse, representing } from './respond.ts';

export async function patch(context: Context, call: Call, endpoint: string, rules: UpdateRules): Promise<ApiResponse> {
  const represent = representing(context, call, false);
  const read = await readPatch(call);
  const { revision, created } = commitUpdate(context, call, {
    rules,
    // Only an apply says everything that a new object needs.
    mayCreate: read.type === 'apply' && endpoint === '',
    dryRun: read.options.dryRun,
    build(old) {
      const object = patchedObject(context, call, endpoint, read, old);
      assertName(object, call.name);
      return inNamespace(object, call.namespace);
    },
  });
  return objectResponse(created ? 201 : 200, represent, revision);
}
