/** The cluster role aggregation controller: cluster roles with an aggregationRule have the rules of those it selects. */
import { createWorkQueue } from '@keelson/client';
import { equalJson, isNotFound, keyOf } from '@keelson/core';
import { ClusterRole } from '@keelson/core/rbac/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { gatheredRules } from './gathered-rules.ts';

export function startClusterRoleAggregation(context: ControllerContext): RunningController {
  const { client, informers, clock, signal } = context;
  const queue = createWorkQueue({ clock });
  const roles = informers.informer(ClusterRole);
  // Any of them may be selected by any that gathers.
  const addGathering = () => {
    for (const role of roles.store.list()) if (role.aggregationRule !== undefined) queue.add(keyOf(role));
  };
  roles.subscribe(addGathering, { signal });
  const sync = async (name: string): Promise<void> => {
    const role = roles.store.get(name);
    const rules = role && gatheredRules(role, roles.store.list());
    if (rules === undefined || equalJson(rules, role?.rules ?? [])) return;
    try {
      await client.apply(ClusterRole, { metadata: { name }, rules }, { force: true });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return startLoop(context, { name: 'clusterrole-aggregation', queue, informers: [roles], sync });
}
