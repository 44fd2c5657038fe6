/** Memcacheds that cannot become what they ask for, on real Kubernetes: each in a namespace of its own, which says why. */
import assert from 'node:assert/strict';
import { eventually, kubectlOf, type MemcachedView, memcachedManifest, type SliceCluster } from './slice.ts';

export interface Stuck {
  readonly namespace: string;
  /** What of `spec` cannot be. */
  readonly spec?: object;
  readonly reason: string;
  readonly message: RegExp;
  /** What stands in the way, before the Memcached is made. */
  readonly before?: object;
  /** What happens once it runs. */
  after?(cluster: SliceCluster): Promise<void>;
}

const quota = (namespace: string, hard: object) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'none', namespace },
  spec: { hard },
});

/** Nobody may delete a Memcached there, so that it is still there while the namespace goes. */
const deletionRefused = (namespace: string) => {
  const admission = 'admissionregistration.k8s.io';
  const metadata = { name: 'keep-memcacheds' };
  const resourceRules = [
    { apiGroups: ['cache.example.com'], apiVersions: ['*'], operations: ['DELETE'], resources: ['memcacheds'] },
  ];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: `${admission}/v1`,
        kind: 'ValidatingAdmissionPolicy',
        metadata,
        spec: { matchConstraints: { namespaceSelector, resourceRules }, validations: [{ expression: 'false' }] },
      },
      {
        apiVersion: `${admission}/v1`,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata,
        spec: { policyName: metadata.name, validationActions: ['Deny'] },
      },
    ],
  };
};

export const stuck: readonly Stuck[] = [
  {
    namespace: 'no-pods',
    before: quota('no-pods', { pods: '0' }),
    reason: 'QuotaExceeded',
    message: /^Pods cannot be created: .*exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0/,
  },
  {
    namespace: 'no-deployments',
    before: quota('no-deployments', { 'count/deployments.apps': '0' }),
    reason: 'QuotaExceeded',
    message: /exceeded quota: none, requested: count\/deployments\.apps=1/,
  },
  {
    namespace: 'no-image',
    spec: { image: 'registry.invalid/memcached:none' },
    reason: 'ImagePullBackOff',
    message: /^Pod cache-\S+: its image cannot be pulled\.$/,
  },
  {
    namespace: 'no-such-name',
    spec: { image: 'Memcached::1' },
    reason: 'InvalidImageName',
    message: /^Pod cache-\S+: its image has an invalid name\.$/,
  },
  {
    namespace: 'leaving',
    before: deletionRefused('leaving'),
    reason: 'NamespaceTerminating',
    message: /unable to create new content in namespace leaving because it is being terminated/,
    async after(cluster) {
      const kubectl = kubectlOf(cluster, 'leaving');
      await eventually(
        'the policy is at work',
        () => kubectl('delete', 'memcached', 'cache', '--dry-run=server'),
        ({ stderr }) => stderr.includes('keep-memcacheds'),
      );
      await kubectl.ok('wait', '--for=create', 'deployment/cache', '--timeout=5m');
      await kubectl.ok('delete', 'namespace', 'leaving', '--wait=false');
    },
  },
];

/** Brings it about, and waits until the condition says so. */
export async function getStuck(cluster: SliceCluster, each: Stuck): Promise<void> {
  const kubectl = kubectlOf(cluster, each.namespace);
  await kubectl.ok('create', 'namespace', each.namespace);
  if (each.before) {
    // Of a List, kubectl would look into all of OpenAPI, which takes a busy API server longer than it waits.
    const { code, stderr } = await kubectl.apply(JSON.stringify(each.before), '--validate=false');
    assert.equal(code, 0, stderr);
  }
  const { code, stderr } = await kubectl.apply(memcachedManifest('cache', { size: 1, ...each.spec }, each.namespace));
  assert.equal(code, 0, stderr);
  await each.after?.(cluster);
  const { status } = await eventually(
    `${each.namespace} is Degraded by ${each.reason}`,
    () => kubectl.json<MemcachedView>('get', 'memcached', 'cache'),
    (memcached) => memcached.status?.conditions?.some(({ reason }) => reason === each.reason) === true,
  );
  const degraded = status?.conditions?.find(({ type }) => type === 'Degraded');
  assert.equal(degraded?.status, 'True');
  assert.match(degraded.message, each.message);
}
