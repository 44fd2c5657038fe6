/** What the operator may do: its account and the roles that follow from its declarations, each with its binding. */
import { type Operator, type OperatorRole, type PolicyRule, rolesOf } from '@keelson/core';
import type { NewClusterRole, NewClusterRoleBinding, NewRole, NewRoleBinding } from '@keelson/core/rbac/v1';
import type { NewServiceAccount } from '@keelson/core/v1';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

/** `config/rbac` as far as the operator itself is concerned. */
export function operatorRoleFiles(installation: Installation): readonly GeneratedFile[] {
  return [
    yamlFile('config/rbac/service_account.yaml', serviceAccount(installation)),
    ...roleGroups(installation).flatMap(({ file, name, roles }) => [
      yamlFile(`config/rbac/${file}.yaml`, ...roles.map((role) => roleObject(name, role, installation))),
      yamlFile(`config/rbac/${file}_binding.yaml`, ...roles.map((role) => bindingObject(name, role, installation))),
    ]),
    ...(installation.operator.secureMetrics
      ? [yamlFile('config/rbac/metrics_reader_role.yaml', metricsReader(installation))]
      : []),
  ];
}

/** The account that it works as. */
export function serviceAccount(installation: Installation): NewServiceAccount {
  const { name, namespace } = installation;
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels: labelsOf(installation) } };
}

/** Roles that are there for one reason, under one name. */
export interface RoleGroup {
  readonly reason: 'declarations' | 'leader election' | 'secure metrics';
  readonly file: string;
  readonly name: string;
  readonly roles: readonly OperatorRole[];
}

/** What the operator may do: by its declarations, and what electing a leader and guarding metrics add to that. */
export function roleGroups({ operator, name, namespace, namespaces }: Installation): readonly RoleGroup[] {
  const place = { namespace, namespaces };
  const own = rolesOf({ ...operator, leaderElection: false, secureMetrics: false }, place);
  const added = (having: Partial<Operator>) =>
    without(own, rolesOf({ ...operator, leaderElection: false, secureMetrics: false, ...having }, place));
  const { leaderElection, secureMetrics } = operator;
  const groups: readonly RoleGroup[] = [
    { reason: 'declarations', file: 'role', name, roles: own },
    {
      reason: 'leader election',
      file: 'leader_election_role',
      name: `${name}-leader-election`,
      roles: leaderElection ? added({ leaderElection }) : [],
    },
    {
      reason: 'secure metrics',
      file: 'metrics_auth_role',
      name: `${name}-metrics-auth`,
      roles: secureMetrics ? added({ secureMetrics }) : [],
    },
  ];
  return groups.filter(({ reason, roles }) => reason === 'declarations' || roles.length > 0);
}

const metadataOf = (name: string, { namespace }: OperatorRole, installation: Installation) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  labels: labelsOf(installation),
});

/** One of them. */
export function roleObject(name: string, role: OperatorRole, installation: Installation): NewRole | NewClusterRole {
  const kind = role.namespace === undefined ? 'ClusterRole' : 'Role';
  return { apiVersion, kind, metadata: metadataOf(name, role, installation), rules: role.rules };
}

/** What gives it to the operator's account. */
export function bindingObject(
  name: string,
  role: OperatorRole,
  installation: Installation,
): NewRoleBinding | NewClusterRoleBinding {
  const [kind, binding] =
    role.namespace === undefined
      ? (['ClusterRole', 'ClusterRoleBinding'] as const)
      : (['Role', 'RoleBinding'] as const);
  return {
    apiVersion,
    kind: binding,
    metadata: metadataOf(name, role, installation),
    roleRef: { apiGroup, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: installation.name, namespace: installation.namespace }],
  };
}

/** For those who scrape: bind it to their account. */
export function metricsReader(installation: Installation): NewClusterRole {
  const { name, process } = installation;
  return {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: `${name}-metrics-reader`, labels: labelsOf(installation) },
    rules: [{ nonResourceURLs: [process.metrics?.path ?? '/metrics'], verbs: ['get'] }],
  };
}

/** What `roles` grant and `others` do not. */
function without(others: readonly OperatorRole[], roles: readonly OperatorRole[]): readonly OperatorRole[] {
  const granted = new Set(others.flatMap(({ namespace, rules }) => rules.map((rule) => textOf(namespace, rule))));
  return roles
    .map(({ namespace, rules }) => ({
      namespace,
      rules: rules.filter((rule) => !granted.has(textOf(namespace, rule))),
    }))
    .filter(({ rules }) => rules.length > 0);
}

const textOf = (namespace: string | undefined, rule: PolicyRule): string => JSON.stringify([namespace, rule]);
