/** PUT of an object, or of one of its endpoints (status, finalize). */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import type { ApiObject } from '../object.ts';
import type { ApiResponse } from '../request/exchange.ts';
import type { UpdateRules } from '../resource/resource.ts';
import { conflict, resourceNamed } from '../status.ts';
import { assertName, inNamespace, withDistinctOwners } from '../write/metadata.ts';
import { assertUid } from '../write/optimistic-lock.ts';
import { updateObject } from '../write/update.ts';
import { type Call, writeOf } from './call.ts';
import type { Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';

export async function update(context: Context, call: Call, rules: UpdateRules): Promise<ApiResponse> {
  const { request, resource, namespace, name, warnings } = call;
  const { strategy } = resource;
  const represent = representing(context, call, false);
  assertReadableBody(request, resource);
  const options = writeOptions(request.query, 'UpdateOptions');
  const decoded = await decodeBody(request, resource, options.fieldValidation);
  warnings.push(...decoded.warnings);
  const sent = withDistinctOwners(inNamespace(strategy.default(decoded.object), namespace), warnings);
  assertName(sent, name);
  const write = writeOf(call, options);
  const { revision, created } = await updateObject(context, write, {
    rules,
    mayCreate: false,
    build(old) {
      if (old !== undefined) assertUid(write, sent, old);
      else if (sent.metadata.uid) {
        throw conflict(
          resourceNamed(resource),
          name,
          `uid mismatch: the provided object specified uid ${sent.metadata.uid}, and no existing object was found`,
        );
      }
      return updateManagedFields({
        type: strategy.objectType(write.subresource),
        before: old,
        after: sent,
        manager: write.manager,
        subresource: write.subresource,
        now: timestamp(context.clock.now()),
      }) as ApiObject;
    },
  });
  return objectResponse(created ? 201 : 200, represent, revision);
}
