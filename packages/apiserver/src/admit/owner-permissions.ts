/**
 * The admission plugin OwnerReferencesPermissionEnforcement: whoever makes an object depend on another could have deleted
 * it, and whoever holds back the deletion of an owner could have set its finalizers.
 *
 * Not on in every installation of Kubernetes; it is in OpenShift, so that operators must live with it.
 */
import { equalJson, type OwnerReference } from '@keelson/core';
import type { ApiObject } from '../object.ts';
import { isPrivileged } from '../request/user.ts';
import { apiVersionOf } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, resourceNamed } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? [];

/** `old` is `undefined` for an object that is being created. */
export function assertOwnerPermissions(
  context: AdmissionContext,
  write: Write,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { user, resource, subresource, namespace } = write;
  const owners = ownersOf(object);
  if (owners.length === 0 && ownersOf(old).length === 0) return;
  if (isPrivileged(user) || equalJson(owners, ownersOf(old))) return;
  if (resource.collection === 'pods' && subresource === 'status') return;
  const { authoriser, registry } = context;
  const name = object.metadata.name ?? '';
  const refused = (why: string) => forbidden(resourceNamed(resource), name, why);

  if (old !== undefined) {
    const { group, resource: plural } = resource;
    const deletion = {
      type: 'resource',
      verb: 'delete',
      group,
      resource: plural,
      subresource,
      namespace,
      name,
    } as const;
    const { allowed, reason } = authoriser.decide(user, deletion);
    if (!allowed) throw refused(`cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
  }

  const before = new Set(ownersOf(old).flatMap(({ uid, blockOwnerDeletion }) => (blockOwnerDeletion ? [uid] : [])));
  const blocking = owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !before.has(uid));
  if (blocking.length === 0) return;
  const finalizing = { type: 'resource', verb: 'update', subresource: 'finalizers' } as const;
  const anything = { ...finalizing, group: '*', resource: '*', namespace: '', name: '*' };
  if (authoriser.decide(user, anything).allowed) return;
  for (const { apiVersion, kind, name: owner } of blocking) {
    const served = registry.all().filter((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (served.length === 0) {
      throw refused(
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      );
    }
    for (const { group, resource: plural, namespaced } of served) {
      const home = namespaced ? namespace : '';
      const wanted = { ...finalizing, group, resource: plural, namespace: home, name: owner };
      const { allowed, reason } = authoriser.decide(user, wanted);
      if (allowed) continue;
      throw refused(
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`,
      );
    }
  }
}
