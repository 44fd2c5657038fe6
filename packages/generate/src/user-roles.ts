/**
 * Roles for users: who may look at, edit and administer the objects of each kind.
 *
 * Those of namespaced kinds join the built-in roles view, edit and admin (aggregation), so that whoever may edit
 * Deployments in a namespace may edit these there. Rights on a cluster-scoped kind have to be given by hand.
 */
import type { NewClusterRole } from '@keelson/core/rbac/v1';
import type { DefinedKind } from '@keelson/schema';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';

const reading = ['get', 'list', 'watch'];
const editing = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const levels = [
  { level: 'viewer', joins: 'view', verbs: reading, scaleVerbs: ['get'] },
  { level: 'editor', joins: 'edit', verbs: [...reading, ...editing], scaleVerbs: ['get', 'update', 'patch'] },
  { level: 'admin', joins: 'admin', verbs: ['*'], scaleVerbs: ['*'] },
] as const;

/** Three files for each kind. */
export function userRoleFiles(installation: Installation): readonly GeneratedFile[] {
  return userRoles(installation).map(({ path, role }) => yamlFile(`config/rbac/${path}`, role));
}

/** Three roles for each kind, and what their files are called. */
export function userRoles(
  installation: Installation,
): readonly { readonly path: string; readonly role: NewClusterRole }[] {
  return installation.definitions.flatMap(({ kind }) =>
    levels.map((level) => ({
      path: `${kind.group}_${kind.resource}_${level.level}_role.yaml`,
      role: userRole(kind, level, installation),
    })),
  );
}

function userRole(kind: DefinedKind, level: (typeof levels)[number], installation: Installation): NewClusterRole {
  const { group, resource, scope, definition } = kind;
  const versions = Object.values(definition.versions);
  const rule = (subresource: string, verbs: readonly string[]) => ({
    apiGroups: [group],
    resources: [`${resource}${subresource}`],
    verbs,
  });
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `${resource}.${group}-${level.level}`,
      labels: {
        ...labelsOf(installation),
        ...(scope === 'Namespaced' && { [`rbac.authorization.k8s.io/aggregate-to-${level.joins}`]: 'true' }),
      },
    },
    rules: [
      rule('', level.verbs),
      ...(versions.some(({ status }) => status !== undefined) ? [rule('/status', ['get'])] : []),
      ...(versions.some(({ subresources }) => subresources?.scale !== undefined)
        ? [rule('/scale', level.scaleVerbs)]
        : []),
    ],
  };
}
