/**
 * Admission: the last word of the cluster on an object before it is checked and stored, and what the cluster adds to it.
 *
 * The plugins are those of a default installation that concern what we serve, in its order.
 */

import type { ApiObject } from '../object.ts';
import type { Call, Context } from '../verbs/context.ts';
import { assertDefinitionStays } from './definition-lifecycle.ts';
import { assertNamespaceLives, assertNamespaceMayGo } from './namespace-lifecycle.ts';
import { podPriority } from './priority.ts';
import { podServiceAccount } from './service-account.ts';
import { defaultTolerations } from './tolerations.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The object as admission lets it pass; throws a refusal. */
export function admit(context: Context, call: Call, operation: Operation, object: ApiObject): ApiObject {
  const { resource, info } = call;
  if (operation === 'DELETE') {
    assertNamespaceMayGo(call);
    return object;
  }
  if (operation === 'CREATE') {
    assertNamespaceLives(context, call, object);
    assertDefinitionStays(context, call, object);
  }
  if (resource.collection !== 'pods' || info.subresource !== '' || operation !== 'CREATE') return object;
  return defaultTolerations(podPriority(context, podServiceAccount(context, object)));
}
