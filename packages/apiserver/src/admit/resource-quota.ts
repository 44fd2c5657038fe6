/**
 * The admission plugin ResourceQuota: what a write takes must fit into every quota of its namespace that is about it.
 *
 * A quota limits by its status, which a controller keeps: as long as there is none, it limits nothing. What is taken is
 * added to that status by the write itself, so that the next one cannot take it again.
 */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  subtractQuantities,
} from '@keelson/core';
import {
  type Amounts,
  amountsOf,
  computeUsage,
  hasPodResources,
  isTerminating,
  matchesQuotaScopes,
  quotaNames,
  quotaUsage,
} from '@keelson/core/quota';
import type { Pod, ResourceQuota } from '@keelson/core/v1';
import { type ApiObject, readAs } from '../object.ts';
import type { StrategyContext } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, resourceNamed } from '../status.ts';

/** What a quota will say is used. */
export interface QuotaCharge {
  readonly quota: string;
  readonly namespace: string;
  readonly used: Readonly<Record<string, string>>;
}

/** Throws a refusal when the object does not fit; `old` is what it changes. */
export function quotaCharges(
  { strategyContext: { list, now } }: { readonly strategyContext: Pick<StrategyContext, 'list' | 'now'> },
  { resource, subresource, namespace }: Write,
  object: ApiObject,
  old: ApiObject | undefined,
): readonly QuotaCharge[] {
  if (!resource.namespaced || subresource !== '' || resource.collection === 'events') return [];
  const { collection: name } = resource;
  if (old !== undefined && !isRecounted(name, object, old)) return [];
  const charges: QuotaCharge[] = [];
  for (const each of list('resourcequotas')) {
    if (each.metadata.namespace !== namespace) continue;
    const { spec = {}, status = {}, metadata } = readAs<ResourceQuota>(each);
    const restricted = quotaNames(name, Object.keys(status.hard ?? {}));
    if (restricted.length === 0 || !matchesQuotaScopes(spec, name, object)) continue;
    const refuse = (why: string) => forbidden(resourceNamed(resource), object.metadata.name ?? '', why);
    const missing = name === 'pods' ? unsaid(readAs<Pod>(object), restricted) : '';
    if (missing !== '') throw refuse(`failed quota: ${metadata.name}: must specify ${missing}`);
    if (restricted.some((each) => status.used?.[each] === undefined)) {
      throw refuse(`status unknown for quota: ${metadata.name}, resources: ${restricted.join(',')}`);
    }
    const before = old !== undefined && matchesQuotaScopes(spec, name, old) ? quotaUsage(name, old, now) : new Map();
    const taken = increase(quotaUsage(name, object, now), before, restricted);
    if (taken.size === 0) continue;
    const used = amountsOf(status.used);
    const hard = amountsOf(status.hard);
    const exceeded = [...taken.keys()].filter((each) => compareQuantities(sum(used, taken, each), at(hard, each)) > 0);
    if (exceeded.length > 0) {
      const [requested, present, limited] = [taken, used, hard].map((amounts) => text(amounts, exceeded));
      throw refuse(`exceeded quota: ${metadata.name}, requested: ${requested}, used: ${present}, limited: ${limited}`);
    }
    const after = Object.fromEntries([...taken.keys()].map((each) => [each, stored(sum(used, taken, each))]));
    charges.push({ quota: metadata.name, namespace, used: { ...status.used, ...after } });
  }
  return charges;
}

/** Whether a change can change what the object takes. */
function isRecounted(resource: string, object: ApiObject, old: ApiObject): boolean {
  if (resource === 'pods') return isTerminating(readAs<Pod>(object)) !== isTerminating(readAs<Pod>(old));
  return resource === 'services' || resource === 'persistentvolumeclaims';
}

const zero = parseQuantity('0');
const at = (amounts: Amounts, name: string) => amounts.get(name) ?? zero;
const sum = (a: Amounts, b: Amounts, name: string) => addQuantities(at(a, name), at(b, name));
const text = (amounts: Amounts, names: readonly string[]): string =>
  [...names]
    .sort()
    .map((name) => `${name}=${printQuantity(at(amounts, name))}`)
    .join(',');

/** What is taken more than before; what is given back is the controller's to count. */
function increase(usage: Amounts, before: Amounts, names: readonly string[]): Amounts {
  const differences = names.map((name) => [name, subtractQuantities(at(usage, name), at(before, name))] as const);
  return new Map(differences.filter(([, difference]) => difference.digits > 0n));
}

const mustBeSaid = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

/** What containers leave open although a quota counts it, such as `cpu for: a,b`. */
function unsaid({ spec }: Pod, restricted: readonly string[]): string {
  if (spec === undefined || hasPodResources(spec)) return '';
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name, resources }) => ({
    name,
    said: computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits)),
  }));
  return restricted
    .filter((name) => mustBeSaid.includes(name))
    .sort()
    .flatMap((name) => {
      const silent = containers.filter(({ said }) => !said.has(name)).map((each) => each.name);
      return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(',')}`];
    })
    .join('; ');
}

/** As it is shown after it was stored, which forgets the family of a sum that has no suffix of it. */
const stored = (quantity: Quantity): string => printQuantity(parseQuantity(printQuantity(quantity)));
