/** Objects without what differs between two runs: times, uids, revisions of the store, hashes and random suffixes. */
import type { KubernetesObject } from '@keelson/core';
import type { ReplicaSet } from '@keelson/core/apps/v1';

const volatile = new Set(['uid', 'resourceVersion', 'containerID', 'podIP', 'podIPs', 'imageID']);

/** Replaces words that are known to differ, such as the hash of a template by the number of its revision. */
export type Words = ReadonlyMap<string, string>;

export function wordsOf(replicaSets: readonly ReplicaSet[]): Words {
  return new Map(
    replicaSets.flatMap(({ metadata: { labels = {}, annotations = {} } }) => {
      const hash = labels['pod-template-hash'];
      return hash === undefined ? [] : [[hash, `hash-${annotations['deployment.kubernetes.io/revision']}`]];
    }),
  );
}

export function masked(value: unknown, words: Words): unknown {
  if (typeof value === 'string') return maskedText(value, words);
  if (Array.isArray(value)) return value.map((each) => masked(each, words));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name, member]) => !volatile.has(name) && member !== undefined)
    .map(([name, member]) => [name, name === 'managedFields' ? managers(member) : masked(member, words)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function maskedText(text: string, words: Words): string {
  let result = text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(/pvc-[0-9a-f-]{36}/g, 'pvc-UID')
    .replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access')
    .replaceAll(/uid: [0-9a-f-]{36}/g, 'uid: UID');
  for (const [word, replacement] of words) result = result.replaceAll(word, replacement);
  return result.replaceAll(/(hash-\d+)-\w{5}\b/g, '$1-SUFFIX');
}

/**
 * Who wrote, not when, nor which fields: that is the server's business. The scheduler writes to a pod that must wait for
 * its volumes; whether it had to is a race. So it is whether a controller has since written all that the server itself
 * wrote, into a budget when a pod is evicted, or into a quota.
 */
function managers(entries: unknown): unknown {
  return (entries as NonNullable<KubernetesObject['metadata']['managedFields']>)
    .map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim())
    .filter((each) => each !== 'kube-scheduler Update status' && each !== 'kube-apiserver Update status')
    .sort();
}
