/** What an installation of the operator has made on a cluster before it starts, from the generated files. */
import { fileURLToPath } from 'node:url';
import { installOperator, type Kubernetes } from '@keelson/tools-kubernetes';
import { memcachedOperator } from '../src/operator.ts';
import { webhookPlace } from './webhook-place.ts';

const { name } = memcachedOperator;
const namespace = `${name}-system`;
const config = fileURLToPath(new URL('../config', import.meta.url));

/** As whom the operator acts. */
export const operatorUser = `system:serviceaccount:${namespace}:${name}`;

/** What starts the operator. */
export interface Installation {
  /** Of its account. */
  readonly kubeconfig: string;
  /** So that it answers where its definition says: on this machine, not in a pod. */
  readonly webhookFlags: readonly string[];
}

/** Installs the definition, the webhook, and the account with the generated roles and no others. */
export async function install(kube: Kubernetes): Promise<Installation> {
  const kubeconfig = await installOperator(kube, { config, serviceAccount: `${namespace}/${name}` });
  const { webhookFlags, conversion, validating } = await webhookPlace(kube.directory);
  const clientConfig = { ...conversion, service: null };
  const patch = JSON.stringify({ spec: { conversion: { webhook: { clientConfig } } } });
  const { code, stderr } = await kube.kubectl(
    'patch',
    'crd',
    'memcacheds.cache.example.com',
    '--type=merge',
    '-p',
    patch,
  );
  if (code !== 0) throw new Error(stderr);
  await kube.apply(JSON.stringify(validating));
  return { kubeconfig, webhookFlags };
}
