/**
 * What one object takes of a ResourceQuota, and whether the quota is about it.
 *
 * The API server asks when an object is written, the controller when it counts again: both must come to the same.
 */
import type {
  PersistentVolumeClaim,
  Pod,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  Service,
} from '../generated/v1.ts';
import { compareQuantities, parseQuantity, type Quantity, roundUpQuantity } from '../quantity.ts';
import { type Amounts, addAmounts, amountsOf, hasPodResources, podLimits, podRequests } from './pod-resources.ts';

/** An object of any kind; what a kind takes is read out of it here. */
export interface Counted {
  readonly metadata: object;
}

const count = (number: number): Quantity => parseQuantity(String(number));
const one = count(1);

/** Kinds that are also counted under their bare name. */
const aliased = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];
const compute = ['cpu', 'memory', 'ephemeral-storage'];
const podNames = new Set([
  'pods',
  'count/pods',
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const classSuffix = '.storageclass.storage.k8s.io/';
const claimNames = ['persistentvolumeclaims', 'requests.storage'];

/** Which names of a quota objects of this resource can take from; `resource` is such as `pods` or `deployments.apps`. */
export function quotaNames(resource: string, names: readonly string[]): readonly string[] {
  const own = (name: string): boolean => {
    if (name === `count/${resource}`) return true;
    switch (resource) {
      case 'pods':
        return podNames.has(name) || /^(?:requests\.)?hugepages-/.test(name) || isExtended(name);
      case 'services':
        return ['services', 'services.nodeports', 'services.loadbalancers'].includes(name);
      case 'persistentvolumeclaims':
        return claimNames.includes(name) || claimNames.some((each) => name.endsWith(classSuffix + each));
      default:
        return name === resource && aliased.includes(resource);
    }
  };
  return names.filter(own);
}

/** Resources of devices: a domain of their own, or none of Kubernetes' own. */
const isExtended = (name: string): boolean =>
  name.startsWith('requests.') && name.includes('/') && !name.includes(classSuffix);

/** A pod that has ended, or should have, takes nothing but its place in the storage. */
function isCharged({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** What is asked for under the names by which quotas limit it. */
export function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    const isKnown = compute.includes(name) || name.startsWith('hugepages-');
    if (isKnown) usage.set(name, amount);
    if (isKnown || name.includes('/')) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (compute.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function podUsage(pod: Pod, now: number): Amounts {
  const stored = new Map([['count/pods', one]]);
  if (pod.spec === undefined || !isCharged(pod, now)) return stored;
  return new Map([...stored, ['pods', one], ...computeUsage(podRequests(pod.spec), podLimits(pod.spec))]);
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = spec?.ports ?? [];
  const isBalanced = spec?.type === 'LoadBalancer';
  const chosen =
    isBalanced && spec.allocateLoadBalancerNodePorts === false ? ports.filter((each) => each.nodePort) : ports;
  return new Map([
    ['count/services', one],
    ['services', one],
    ['services.loadbalancers', count(isBalanced ? 1 : 0)],
    ['services.nodeports', count(isBalanced || spec?.type === 'NodePort' ? chosen.length : 0)],
  ]);
}

function claimUsage({ spec, status, metadata }: PersistentVolumeClaim): Amounts {
  const usage = new Map([
    ['count/persistentvolumeclaims', one],
    ['persistentvolumeclaims', one],
  ]);
  const asked = amountsOf(spec?.resources?.requests).get('storage');
  const given = amountsOf(status?.allocatedResources).get('storage');
  const storage = asked && given && compareQuantities(given, asked) > 0 ? given : asked;
  if (storage !== undefined) usage.set('requests.storage', roundUpQuantity(storage, 0));
  const name = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName;
  if (!name) return usage;
  const byClass = claimNames.flatMap((each): [string, Quantity][] => {
    const amount = usage.get(each);
    return amount === undefined ? [] : [[`${name}${classSuffix}${each}`, amount]];
  });
  return new Map([...usage, ...byClass]);
}

/** What an object takes, under every name by which a quota may limit it; `now` is wall time. */
export function quotaUsage(resource: string, object: Counted, now: number): Amounts {
  switch (resource) {
    case 'pods':
      return podUsage(object as Pod, now);
    case 'services':
      return serviceUsage(object as Service);
    case 'persistentvolumeclaims':
      return claimUsage(object as PersistentVolumeClaim);
    default:
      return new Map(
        [`count/${resource}`, ...(aliased.includes(resource) ? [resource] : [])].map((name) => [name, one]),
      );
  }
}

/** Whether all scopes of a quota are those of the object; only pods, and classes of claims, have any. */
export function matchesQuotaScopes(spec: ResourceQuotaSpec, resource: string, object: Counted): boolean {
  const scopes: readonly ScopedResourceSelectorRequirement[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every((scope) => {
    if (resource === 'pods') return isPodInScope(object as Pod, scope);
    const isClaim = resource === 'persistentvolumeclaims' && scope.scopeName === 'VolumeAttributesClass';
    return isClaim && isNamed((object as PersistentVolumeClaim).spec?.volumeAttributesClassName, scope);
  });
}

function isPodInScope(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return isNamed(pod.spec?.priorityClassName, scope);
    case 'CrossNamespacePodAffinity':
      return looksElsewhere(pod);
    default:
      return false;
  }
}

function isNamed(name: string | undefined, { operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  switch (operator) {
    case 'In':
      return Boolean(name) && values.includes(name ?? '');
    case 'NotIn':
      return !name || !values.includes(name);
    case 'DoesNotExist':
      return !name;
    default:
      return Boolean(name);
  }
}

/** A pod with a deadline of its own. */
export const isTerminating = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

/** What the pod says for itself decides, if it says anything. */
function isBestEffort({ spec }: Pod): boolean {
  const asking =
    spec !== undefined && hasPodResources(spec)
      ? [spec]
      : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return asking.every(({ resources }) => {
    const asked = addAmounts(amountsOf(resources?.requests), amountsOf(resources?.limits));
    return ['cpu', 'memory'].every((name) => (asked.get(name)?.digits ?? 0n) === 0n);
  });
}

function looksElsewhere({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => each.podAffinityTerm),
    ].some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined),
  );
}
