/**
 * Finalizers: names on an object that keep it, once it is deleted, until whoever put them there takes them away.
 *
 * Values only: what is returned shares everything but the finalizers with what was given, and is the same value when
 * there is nothing to change. The server refuses new finalizers on an object that is being deleted.
 */
import type { ObjectMeta } from './meta.ts';
import { qualifiedNameProblem } from './names.ts';

type Finalized = { readonly metadata: ObjectMeta };

/**
 * What is wrong with the name of a finalizer, or `undefined`. It has a domain, so that no two controllers mean the same
 * one; without, the server refuses it on built-in kinds and warns on others.
 */
export function finalizerProblem(name: string): string | undefined {
  if (!name.includes('/')) return "it must begin with a domain of yours and a '/', such as 'example.com/cleanup'";
  return qualifiedNameProblem(name);
}

/** Whether the object has this finalizer. */
export function hasFinalizer(object: Finalized, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/** `object` with the finalizer, after those that it has. */
export function withFinalizer<T extends Finalized>(object: T, name: string): T {
  const problem = finalizerProblem(name);
  if (problem !== undefined) throw new TypeError(`${JSON.stringify(name)} is not the name of a finalizer: ${problem}`);
  if (hasFinalizer(object, name)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), name];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** `object` without the finalizer. The list stays when it becomes empty, so that a merge patch says it. */
export function withoutFinalizer<T extends Finalized>(object: T, name: string): T {
  if (!hasFinalizer(object, name)) return object;
  const finalizers = object.metadata.finalizers?.filter((each) => each !== name);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
