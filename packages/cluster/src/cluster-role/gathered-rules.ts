/** The rules of a cluster role that gathers those of others, such as `admin`, `edit` and `view`. */
import { equalJson, matchesLabels, requirementsOf } from '@keelson/core';
import type { ClusterRole, PolicyRule } from '@keelson/core/rbac/v1';

/** Selector by selector, in the order of the roles' names, each rule once; `undefined` for a role that gathers nothing. */
export function gatheredRules(
  { metadata, aggregationRule }: ClusterRole,
  all: readonly ClusterRole[],
): readonly PolicyRule[] | undefined {
  if (aggregationRule === undefined) return undefined;
  const others = all
    .filter((role) => role.metadata.name !== metadata.name)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    const requirements = requirementsOf(selector);
    for (const other of others.filter((each) => matchesLabels(requirements, each.metadata.labels))) {
      for (const rule of other.rules ?? []) if (!rules.some((known) => equalJson(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
