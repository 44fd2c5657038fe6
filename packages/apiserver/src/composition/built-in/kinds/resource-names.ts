/** The names of what containers ask for and quotas limit: which are known, and what each may have for a value. */
import { compareQuantities, parseQuantity, roundUpQuantity } from '@keelson/core';
import { invalidValue, type Problem, qualifiedNameProblems } from '@keelson/schema/validation';

type NameProblems = (name: string, field: string) => readonly Problem[];

const counted = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const ofContainers = ['cpu', 'memory', 'ephemeral-storage'];
const ofQuotas = [
  ...counted,
  ...ofContainers,
  ...ofContainers.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
];

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** Whether quotas know it; a name with a domain is anybody's. */
export const isOfQuotas = (name: string): boolean =>
  ofQuotas.includes(name) || isHugePages(name) || name.startsWith('requests.hugepages-');

/** Of Kubernetes' own domain, in which a name without any is. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** A device or the like: what a quota of requests for it would be called must be a name, too. */
const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && qualifiedNameProblems(`requests.${name}`).length === 0;

/** Whether a limit may be above the request. */
export const allowsOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

export const resourceNameProblems: NameProblems = (name, field) => {
  const problems = qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
  const isUnknown = !name.includes('/') && name !== 'storage' && !isOfQuotas(name);
  if (problems.length > 0 || !isUnknown) return problems;
  return [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
};

export const containerResourceProblems: NameProblems = (name, field) => {
  const isUnknown = !name.includes('/') && !ofContainers.includes(name) && !isHugePages(name);
  const isOdd = !isNative(name) && !isExtended(name);
  return [
    ...resourceNameProblems(name, field),
    ...(isUnknown ? [invalidValue(field, name, 'must be a standard resource for containers')] : []),
    ...(isOdd ? [invalidValue(field, name, "doesn't follow extended resource name standard")] : []),
  ];
};

/** What is wrong with a list of what may be used, or is. */
export function quotaListProblems(list: Readonly<Record<string, string>>, field: string): readonly Problem[] {
  return Object.entries(list).flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    const isUnknown = !name.includes('/') && !isOfQuotas(name);
    const quantity = parseQuantity(amount);
    const isWhole = compareQuantities(quantity, roundUpQuantity(quantity, 0)) === 0;
    const isCounted = counted.includes(name) || isExtended(name);
    return [
      ...resourceNameProblems(name, at),
      ...(isUnknown ? [invalidValue(at, name, 'must be a standard resource for quota')] : []),
      ...(quantity.digits < 0n ? [invalidValue(at, amount, 'must be greater than or equal to 0')] : []),
      ...(isWhole || !isCounted ? [] : [invalidValue(at, amount, 'must be an integer')]),
    ];
  });
}
