/** The status of a ResourceQuota, from what there is in its namespace. */
import { printQuantity } from '@keelson/core';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  type Counted,
  matchesQuotaScopes,
  quotaNames,
  quotaUsage,
} from '@keelson/core/quota';
import type { ResourceQuota, ResourceQuotaStatus } from '@keelson/core/v1';

/** The objects of one resource, such as `pods` or `deployments.apps`. */
export interface Census {
  readonly resource: string;
  readonly objects: readonly Counted[];
}

/** What a quota limits and nothing is known of, such as the number of objects of no kind, has no usage. */
export function statusOf({ spec = {} }: ResourceQuota, censuses: readonly Census[], now: number): ResourceQuotaStatus {
  const names = Object.keys(spec.hard ?? {});
  let used: Amounts = new Map();
  for (const { resource, objects } of censuses) {
    const own = quotaNames(resource, names);
    used = addAmounts(used, amountsOf(Object.fromEntries(own.map((name) => [name, '0']))));
    for (const object of objects) {
      if (!matchesQuotaScopes(spec, resource, object)) continue;
      const taken = quotaUsage(resource, object, now);
      used = addAmounts(used, new Map([...taken].filter(([name]) => own.includes(name))));
    }
  }
  const texts = [...used].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, printQuantity(amount)]);
  return { hard: { ...spec.hard }, used: Object.fromEntries(texts) };
}

/** Whether an object takes another amount than before. */
export function takesOther(resource: string, before: Counted, after: Counted, now: number): boolean {
  const [old, current] = [before, after].map((object) => quotaUsage(resource, object, now));
  if (old === undefined || current === undefined || old.size !== current.size) return true;
  return [...old].some(([name, amount]) => {
    const other = current.get(name);
    return other === undefined || printQuantity(other) !== printQuantity(amount);
  });
}
