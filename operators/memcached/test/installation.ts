/** What an installation of the operator has made on a cluster before it starts, from the generated files. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import { memcachedOperator } from '../src/operator.ts';

const { name } = memcachedOperator;
const namespace = `${name}-system`;
const config = fileURLToPath(new URL('../config', import.meta.url));

/** As whom the operator acts. */
export const operatorUser = `system:serviceaccount:${namespace}:${name}`;

/** Installs the definition and the account with the generated roles and no others; the account's kubeconfig. */
export async function install(kube: Kubernetes): Promise<string> {
  const apply = async (...files: string[]) => {
    const { code, stderr } = await kube.kubectl('apply', '--server-side', ...files);
    assert.equal(code, 0, stderr);
  };
  await apply('-f', `${config}/manager/namespace.yaml`);
  await apply('-k', `${config}/crd`);
  await apply('-k', `${config}/rbac`);
  await kube.kubectl('wait', '--for=condition=Established', 'crd/memcacheds.cache.example.com', '--timeout=30s');
  return await kube.kubeconfigFor({ serviceAccount: `${namespace}/${name}` });
}
