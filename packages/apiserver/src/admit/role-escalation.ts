/**
 * No user gives away more than it has: a role that is written, or bound, may hold only what its writer holds, unless the
 * writer is allowed the verbs `escalate` or `bind`.
 */
import { equalJson } from '@keelson/core';
import type { ClusterRole, PolicyRule, RoleRef } from '@keelson/core/rbac/v1';
import { MissingRole } from '../authorise/authoriser.ts';
import { compacted, ruleText, uncovered } from '../authorise/rule-cover.ts';
import { type ApiObject, readAs, withMetadata } from '../object.ts';
import { isPrivileged } from '../request/user.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, notFound, resourceNamed, StatusError } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const rbac = 'rbac.authorization.k8s.io';

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Throws a refusal when this write would give away what its writer does not hold; `old` is what it changes. */
export function assertNoEscalation(
  context: AdmissionContext,
  write: Write,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { resource, user, subresource } = write;
  if (resource.group !== rbac || subresource !== '' || isPrivileged(user)) return;
  if (old !== undefined && changesOwnersOnly(object, old)) return;
  const { authoriser } = context;
  if (resource.resource.endsWith('bindings')) assertBinding(authoriser, write, object);
  else assertRole(authoriser, write, readAs<ClusterRole>(object), old && readAs<ClusterRole>(old));
}

/** What the garbage collector does to an object that it could not have written. */
function changesOwnersOnly(object: ApiObject, old: ApiObject): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  return equalJson(withMetadata(object, { ownerReferences, finalizers, managedFields }), old);
}

function assertRole(
  authoriser: AdmissionContext['authoriser'],
  write: Write,
  role: ClusterRole,
  old: ClusterRole | undefined,
): void {
  const { user, resource, namespace, name } = write;
  const may = {
    type: 'resource',
    verb: 'escalate',
    group: rbac,
    resource: resource.resource,
    subresource: '',
  } as const;
  if (authoriser.decide(user, { ...may, namespace, name }).allowed) return;
  assertHeld(authoriser, write, role.metadata.name, role.rules ?? []);
  const gathers = (each: ClusterRole | undefined) => (each?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
  if (!gathers(role) && !gathers(old)) return;
  if (uncovered(authoriser.rulesFor(user, '').rules, everything).length === 0) return;
  const why = 'must have cluster-admin privileges to use the aggregationRule';
  throw forbidden(resourceNamed(resource), role.metadata.name, why);
}

const roleResources: ReadonlyMap<string, string> = new Map([
  ['Role', 'roles'],
  ['ClusterRole', 'clusterroles'],
]);

function assertBinding(authoriser: AdmissionContext['authoriser'], write: Write, binding: ApiObject): void {
  const { user, namespace, resource } = write;
  const { apiGroup = '', kind, name } = binding.roleRef as RoleRef;
  const roles = roleResources.get(kind);
  if (roles !== undefined) {
    const may = { type: 'resource', verb: 'bind', group: apiGroup, resource: roles, subresource: '' } as const;
    if (authoriser.decide(user, { ...may, namespace, name }).allowed) return;
  }
  assertHeld(authoriser, write, binding.metadata.name ?? '', rulesOf());

  function rulesOf(): readonly PolicyRule[] {
    try {
      return authoriser.rulesOf({ kind, name }, namespace);
    } catch (error) {
      if (!(error instanceof MissingRole)) throw error;
      // That the role is missing is said of the binding.
      throw error.isAbsent ? notFound(resourceNamed(resource), name) : new StatusError(500, '', error.message);
    }
  }
}

function assertHeld(
  authoriser: AdmissionContext['authoriser'],
  write: Write,
  name: string,
  rules: readonly PolicyRule[],
): void {
  const { user, namespace, resource } = write;
  const held = authoriser.rulesFor(user, namespace);
  const missing = uncovered(held.rules, rules);
  if (missing.length > 0) throw refused();

  function refused(): StatusError {
    const texts = [...new Set(compacted(missing).map(ruleText))].sort();
    const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
    const unresolved = held.problem === '' ? '' : `; resolution errors: [${held.problem}]`;
    const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${texts.join('\n')}${unresolved}`;
    return forbidden(resourceNamed(resource), name, why);
  }
}
