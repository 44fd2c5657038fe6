/**
 * What a pod asks for, all its containers together.
 *
 * Containers run beside each other, and sidecars beside them: they add up. Init containers run before, one after the
 * other: the largest counts, with the sidecars that are there by then. What the pod says for itself goes before that.
 */
import type { Container, PodSpec, ResourceRequirements } from '../generated/v1.ts';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../quantity.ts';

/** Quantities by the names of resources, such as `cpu`. */
export type Amounts = ReadonlyMap<string, Quantity>;

type Which = 'requests' | 'limits';

/** The texts of a resource list, read. */
export const amountsOf = (list: Readonly<Record<string, string>> | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

/** Each resource that either has. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const own = sum.get(name);
    sum.set(name, own === undefined ? amount : addQuantities(own, amount));
  }
  return sum;
}

function larger(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const own = result.get(name);
    if (own === undefined || compareQuantities(amount, own) > 0) result.set(name, amount);
  }
  return result;
}

const own = (container: Container, which: Which): Amounts => amountsOf(container.resources?.[which]);
const isForPods = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

const none: Amounts = new Map();

function ofContainers({ containers, initContainers = [] }: PodSpec, which: Which): Amounts {
  let running = (containers ?? []).reduce((sum, container) => addAmounts(sum, own(container, which)), none);
  let sidecars = none;
  let starting = none;
  for (const container of initContainers) {
    const amounts = own(container, which);
    const isSidecar = container.restartPolicy === 'Always';
    if (isSidecar) {
      running = addAmounts(running, amounts);
      sidecars = addAmounts(sidecars, amounts);
    }
    starting = larger(starting, isSidecar ? sidecars : addAmounts(amounts, sidecars));
  }
  return larger(running, starting);
}

const ofPod = (resources: ResourceRequirements | undefined, which: Which): Amounts =>
  new Map([...amountsOf(resources?.[which])].filter(([name]) => isForPods(name)));

/** Whether the pod says for itself what its containers need together. */
export const hasPodResources = ({ resources }: PodSpec): boolean =>
  ofPod(resources, 'requests').size + ofPod(resources, 'limits').size > 0;

/** What must be free on a node for the pod to run. */
export function podRequests(spec: PodSpec): Amounts {
  const asked = new Map([...ofContainers(spec, 'requests'), ...ofPod(spec.resources, 'requests')]);
  return addAmounts(asked, amountsOf(spec.overhead));
}

/** Only what is limited is limited with the overhead. */
export function podLimits(spec: PodSpec): Amounts {
  const limits = new Map([...ofContainers(spec, 'limits'), ...ofPod(spec.resources, 'limits')]);
  const overhead = [...amountsOf(spec.overhead)].filter(([name]) => (limits.get(name)?.digits ?? 0n) !== 0n);
  return addAmounts(limits, new Map(overhead));
}
