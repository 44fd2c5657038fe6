/** Specs of Kubernetes' own suite that the embedded cluster does not pass, each with the reason. */

const reasons = {
  files: "a real container's work: the container's script finds, or not, a file that an earlier one left in a volume",
  script: "a real container's work: the container's script computes its exit code",
  exec: "a real container's work: `kubectl exec` moves a file, by which the readiness probe fails and passes again",
  network: "a real container's work: pods answer HTTP through the API server's proxy",
  webhook: "a real container's work: a webhook in a pod converts the objects, and simulated pods have no network",
  hostPorts: 'out of scope: host ports are not looked at, so that no node rejects a pod for one',
} as const;

const job = '[sig-apps] Job should';
const statefulSet = '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic]';

/** By the full name of a spec; docs/cluster.md tells the same in words. */
export const expectedFailures: Readonly<Record<string, string>> = {
  [`${job} allow to use the pod failure policy on exit code to fail the job early [Conformance]`]: reasons.files,
  [`${job} allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition [Conformance]`]:
    reasons.files,
  [`${job} execute all indexes despite some failing when using backoffLimitPerIndex [Conformance]`]: reasons.script,
  [`${job} mark indexes as failed when the FailIndex action is matched in podFailurePolicy [Conformance]`]:
    reasons.script,
  '[sig-apps] ReplicaSet should serve a basic image on each replica with a public image [Conformance]': reasons.network,
  '[sig-apps] ReplicationController should serve a basic image on each replica with a public image [Conformance]':
    reasons.network,
  [`${statefulSet} Burst scaling should run to completion even with unhealthy pods [Slow] [Conformance]`]: reasons.exec,
  [`${statefulSet} Scaling should happen in predictable order and halt if any stateful pod is unhealthy [Slow] [Conformance]`]:
    reasons.exec,
  [`${statefulSet} should perform rolling updates and roll backs of template modifications [Conformance]`]:
    reasons.exec,
  [`${statefulSet} Should recreate evicted statefulset [Conformance]`]: reasons.hostPorts,
  '[sig-api-machinery] CustomResourceFieldSelectors [Privileged:ClusterAdmin] CustomResourceFieldSelectors MUST list and watch custom resources matching the field selector [Conformance]':
    reasons.webhook,
};
