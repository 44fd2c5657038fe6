/** POST to a collection. */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import type { ApiObject } from '../object.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { createObject } from '../write/create.ts';
import { inNamespace, withDistinctOwners, withoutSystemFields } from '../write/metadata.ts';
import { type Call, writeOf } from './call.ts';
import type { Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';

export async function create(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, warnings } = call;
  const represent = representing(context, call, false);
  assertReadableBody(request, resource);
  const options = writeOptions(request.query, 'CreateOptions');
  const { object, warnings: remarks } = await decodeBody(request, resource, options.fieldValidation);
  warnings.push(...remarks);
  const write = writeOf(call, options);
  const sent = withDistinctOwners(
    inNamespace(withoutSystemFields(resource.strategy.default(object)), namespace),
    warnings,
  );
  const owned = updateManagedFields({
    type: resource.strategy.objectType(''),
    before: undefined,
    after: sent,
    manager: write.manager,
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  const { revision } = await createObject(context, write, owned);
  return objectResponse(201, represent, revision);
}
