/** What the operator may do: its account and the roles that follow from its declarations, each with its binding. */
import { type OperatorRole, type PolicyRule, rolesOf } from '@keelson/core';
import type { NewClusterRole, NewClusterRoleBinding, NewRole, NewRoleBinding } from '@keelson/core/rbac/v1';
import type { NewServiceAccount } from '@keelson/core/v1';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

/** `config/rbac` as far as the operator itself is concerned. */
export function operatorRoleFiles(installation: Installation): readonly GeneratedFile[] {
  const { operator, name, namespace } = installation;
  const account: NewServiceAccount = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, labels: labelsOf(installation) },
  };
  const place = { namespace, namespaces: installation.namespaces };
  const own = rolesOf({ ...operator, leaderElection: false, secureMetrics: false }, place);
  const files = [yamlFile('config/rbac/service_account.yaml', account), ...roleFiles('role', name, own, installation)];
  if (operator.leaderElection) {
    const roles = without(own, rolesOf({ ...operator, secureMetrics: false }, place));
    files.push(...roleFiles('leader_election_role', `${name}-leader-election`, roles, installation));
  }
  if (operator.secureMetrics) {
    const roles = without(own, rolesOf({ ...operator, leaderElection: false }, place));
    files.push(...roleFiles('metrics_auth_role', `${name}-metrics-auth`, roles, installation));
    files.push(yamlFile('config/rbac/metrics_reader_role.yaml', metricsReader(installation)));
  }
  return files;
}

/** The roles and their bindings: two files. */
function roleFiles(
  file: string,
  name: string,
  roles: readonly OperatorRole[],
  installation: Installation,
): readonly GeneratedFile[] {
  return [
    yamlFile(`config/rbac/${file}.yaml`, ...roles.map((role) => roleObject(name, role, installation))),
    yamlFile(`config/rbac/${file}_binding.yaml`, ...roles.map((role) => bindingObject(name, role, installation))),
  ];
}

const metadataOf = (name: string, { namespace }: OperatorRole, installation: Installation) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  labels: labelsOf(installation),
});

function roleObject(name: string, role: OperatorRole, installation: Installation): NewRole | NewClusterRole {
  const kind = role.namespace === undefined ? 'ClusterRole' : 'Role';
  return { apiVersion, kind, metadata: metadataOf(name, role, installation), rules: role.rules };
}

function bindingObject(
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
