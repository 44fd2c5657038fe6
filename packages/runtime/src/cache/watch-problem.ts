/** Why a watch does not work, in words for a log and a probe. */
import type { Informer } from '@keelson/client';

/** What keeps a watch from working, with the rule to add when it is forbidden. */
export function problemOf({
  forbidden,
  lastError,
}: Pick<Informer['health'], 'forbidden' | 'lastError'>): string | undefined {
  if (forbidden === undefined) return lastError?.message;
  const { group, resource, namespace } = forbidden;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return `forbidden; missing rule: apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["get", "list", "watch"] ${where}`;
}
