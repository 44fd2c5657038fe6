/**
 * Claiming: what an owner with a selector does about an object that it might control.
 *
 * An owner never takes what someone else controls, and neither takes nor releases anything while it is being deleted.
 */
import {
  controllerOf,
  type KubernetesObject,
  type LabelSelector,
  matchesLabels,
  type Requirement,
  requirementsOf,
} from '@keelson/core';

export type Claim =
  /** It is ours already, and stays so. */
  | 'keep'
  /** It has no controller, and our selector matches. */
  | 'adopt'
  /** It is ours, and our selector no longer matches. */
  | 'release'
  /** It is none of our business. */
  | 'ignore';

export function claimOf(owner: KubernetesObject, selector: readonly Requirement[], object: KubernetesObject): Claim {
  const matches = matchesLabels(selector, object.metadata.labels);
  const isOwnerGoing = owner.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return 'ignore';
    if (matches) return 'keep';
    return isOwnerGoing ? 'ignore' : 'release';
  }
  const mayAdopt = !isOwnerGoing && object.metadata.deletionTimestamp === undefined;
  return matches && mayAdopt && owner.metadata.namespace === object.metadata.namespace ? 'adopt' : 'ignore';
}

/** A selector of a workload; an empty one, which would match everything, matches nothing. */
export function selectorOf({ matchLabels, matchExpressions }: LabelSelector): readonly Requirement[] | undefined {
  const requirements = requirementsOf({ matchLabels: matchLabels ?? {}, matchExpressions: matchExpressions ?? [] });
  return requirements.length === 0 ? undefined : requirements;
}
