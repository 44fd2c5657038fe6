/**
 * Admission: the last word of the cluster on an object before it is checked and stored, and what the cluster adds to it.
 *
 * The plugins are those of a default installation that concern what we serve, in its order; they answer at once.
 * Admitters that must be waited for, such as webhooks over the network, are in `late-admission.ts`.
 */
import type { Random } from '@keelson/core';
import type { Authoriser } from '../authorise/authoriser.ts';
import type { ApiObject } from '../object.ts';
import type { ObjectReader, Resource } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import type { Operation } from './attributes.ts';
import { assertDefinitionStays } from './definition-lifecycle.ts';
import { withLimitDefaults } from './limit-range.ts';
import { assertNamespaceLives, assertNamespaceMayGo } from './namespace-lifecycle.ts';
import { podPriority } from './priority.ts';
import { podServiceAccount } from './service-account.ts';
import { defaultStorageClass, protectedStorage } from './storage.ts';
import { defaultTolerations } from './tolerations.ts';

/** What the plugins look at beside the write itself. */
export interface AdmissionContext {
  readonly objects: ObjectReader;
  readonly authoriser: Pick<Authoriser, 'decide' | 'rulesFor' | 'rulesOf'>;
  readonly registry: { all(): readonly Resource[] };
  readonly random: Random;
}

/** The object as the plugins let it pass; throws a refusal. */
export function admit(context: AdmissionContext, write: Write, operation: Operation, object: ApiObject): ApiObject {
  const { resource, subresource } = write;
  if (operation === 'DELETE') {
    assertNamespaceMayGo(write);
    return object;
  }
  if (operation === 'CREATE') {
    assertNamespaceLives(context, write, object);
    assertDefinitionStays(context, write, object);
  }
  if (subresource !== '' || operation !== 'CREATE') return object;
  switch (resource.collection) {
    case 'pods':
      return defaultTolerations(podPriority(context, podServiceAccount(context, withLimitDefaults(context, object))));
    case 'persistentvolumeclaims':
      return protectedStorage(defaultStorageClass(context, object), 'kubernetes.io/pvc-protection');
    case 'persistentvolumes':
      return protectedStorage(object, 'kubernetes.io/pv-protection');
    default:
      return object;
  }
}
