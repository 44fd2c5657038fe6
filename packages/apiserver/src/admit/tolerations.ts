/** A pod stays five minutes on a node that is not ready or cannot be reached, unless it says otherwise. */
import type { Toleration } from '@keelson/core/v1';
import type { ApiObject, JsonObject } from '../object.ts';

const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export function defaultTolerations(pod: ApiObject): ApiObject {
  const spec = pod.spec as JsonObject;
  const tolerations = (spec.tolerations ?? []) as readonly Toleration[];
  const covers = (key: string) =>
    tolerations.some((each) => (!each.key || each.key === key) && (!each.effect || each.effect === 'NoExecute'));
  const missing = keys.filter((key) => !covers(key));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added] } };
}
