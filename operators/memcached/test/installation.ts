/** What an installation of the operator has made on a cluster before it starts: its definition, and its account. */
import { rulesOf } from '@keelson/core';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { crdOf } from '@keelson/schema';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import { Memcached } from '../src/api/v1alpha1.ts';
import { memcachedOperator } from '../src/operator.ts';

const { name } = memcachedOperator;
const namespace = 'operators';
const rbac = 'rbac.authorization.k8s.io';

/** As whom the operator acts. */
export const operatorUser = `system:serviceaccount:${namespace}:${name}`;

/** Installs the definition and the account with what its declaration needs and no more; the account's kubeconfig. */
export async function install(kube: Kubernetes): Promise<string> {
  for (const object of [
    crdOf(Memcached),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: `${rbac}/v1`, kind: ClusterRole.kind, metadata: { name }, rules: rulesOf(memcachedOperator) },
    {
      apiVersion: `${rbac}/v1`,
      kind: ClusterRoleBinding.kind,
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: ClusterRole.kind, name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]) {
    await kube.apply(JSON.stringify(object));
  }
  await kube.kubectl('wait', '--for=condition=Established', 'crd/memcacheds.cache.example.com', '--timeout=30s');
  return await kube.kubeconfigFor({ serviceAccount: `${namespace}/${name}` });
}
