/**
 * The applies that lead from an object that is there to the one that is wanted. Nearly always that is one.
 *
 * A Deployment that is to replace its pods at once must lose the fields of the rolling update, which the API server has
 * set by itself. Only a field that somebody has applied goes when they no longer apply it, so they are applied once: with
 * the Deployment paused, since no pod may come by a rolling update any more.
 */
import { isObject, type KubernetesObject } from '@keelson/core';
import type { FileObject } from './deployable.ts';

export function stepsTo(
  object: FileObject,
  existing: KubernetesObject | undefined,
): readonly [FileObject, ...FileObject[]] {
  const { spec } = object;
  const before = (existing as { readonly spec?: unknown } | undefined)?.spec;
  const strategy = isObject(before) && isObject(before.strategy) ? before.strategy : {};
  const isRecreated = isObject(spec) && isObject(spec.strategy) && spec.strategy.type === 'Recreate';
  if (object.kind !== 'Deployment' || !isRecreated || strategy.rollingUpdate === undefined) return [object];
  const claim = { type: 'RollingUpdate', rollingUpdate: strategy.rollingUpdate };
  return [{ ...object, spec: { ...spec, strategy: claim, paused: true } }, object];
}
