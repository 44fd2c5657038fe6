/**
 * Predicates: which updates of an object are worth a look.
 *
 * They are asked about updates alone: an object that appears or goes always matters, and so does one whose deletion
 * begins, or its clean-up would wait for ever.
 */
import { equalJson } from './equal-json.ts';
import type { KubernetesObject } from './kind.ts';

/** Whether an update matters, from the object as it is now and as it was before. Pure and quick. */
export type Predicate<T = KubernetesObject> = (now: T, before: T) => boolean;

/** Someone changed what is wanted: the server counts `metadata.generation` up with each change beside metadata and status. */
export const generationChanged: Predicate = (now, before) => now.metadata.generation !== before.metadata.generation;

/** The labels are others. */
export const labelsChanged: Predicate = changed(({ metadata }) => metadata.labels ?? {});

/** The annotations are others. */
export const annotationsChanged: Predicate = changed(({ metadata }) => metadata.annotations ?? {});

/**
 * What `part` gives is another value than before.
 *
 * @example
 * watch(Deployment, { to: byLabel('app'), when: changed((deployment) => deployment.status.readyReplicas) })
 */
export function changed<T extends KubernetesObject>(part: (object: T) => unknown): Predicate<T> {
  return (now, before) => {
    const [a, b] = [part(now), part(before)];
    return a === undefined || b === undefined ? a !== b : !equalJson(a, b);
  };
}

/** All of them say so. */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (now, before) => predicates.every((each) => each(now, before));
}

/** At least one of them says so. */
export function or<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (now, before) => predicates.some((each) => each(now, before));
}

/** It does not say so. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (now, before) => !predicate(now, before);
}
