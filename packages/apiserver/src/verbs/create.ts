/** POST to a collection. */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import type { ApiObject } from '../object.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { commitNew } from '../write/commit.ts';
import { inNamespace, managerOf, withDistinctOwners, withoutSystemFields } from '../write/metadata.ts';
import type { Call, Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';

export async function create(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, warnings } = call;
  const represent = representing(context, call, false);
  assertReadableBody(request, resource);
  const options = writeOptions(request.query, 'CreateOptions');
  const { object, warnings: remarks } = await decodeBody(request, resource, options.fieldValidation);
  warnings.push(...remarks);
  const sent = withDistinctOwners(
    inNamespace(withoutSystemFields(resource.strategy.default(object)), namespace),
    warnings,
  );
  const owned = updateManagedFields({
    type: resource.strategy.objectType(''),
    before: undefined,
    after: sent,
    manager: managerOf(options.fieldManager, request.headers['user-agent']),
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  const { revision } = commitNew(context, call, owned, options.dryRun);
  return objectResponse(201, represent, revision);
}
