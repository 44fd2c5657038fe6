/** PATCH of an object, or of one of its endpoints, by one of four types. */
import type { ApiResponse } from '../request/exchange.ts';
import type { UpdateRules } from '../resource/resource.ts';
import { assertName, inNamespace } from '../write/metadata.ts';
import { updateObject } from '../write/update.ts';
import { type Call, writeOf } from './call.ts';
import type { Context } from './context.ts';
import { patchedObject } from './patched-object.ts';
import { readPatch } from './read-patch.ts';
import { objectResponse, representing } from './respond.ts';

export async function patch(context: Context, call: Call, rules: UpdateRules): Promise<ApiResponse> {
  const represent = representing(context, call, false);
  const read = await readPatch(call);
  const write = writeOf(call, read.options);
  const { revision, created } = await updateObject(context, write, {
    rules,
    // Only an apply says everything that a new object needs.
    mayCreate: read.type === 'apply' && write.subresource === '',
    build(old) {
      const object = patchedObject(context, write, read, old);
      assertName(object, write.name);
      return inNamespace(object, write.namespace);
    },
  });
  return objectResponse(created ? 201 : 200, represent, revision);
}
