/** What an installation of the operator has made on a cluster before it starts, from the generated files. */
import { fileURLToPath } from 'node:url';
import { installOperator, type Kubernetes } from '@keelson/tools-kubernetes';
import { memcachedOperator } from '../src/operator.ts';

const { name } = memcachedOperator;
const namespace = `${name}-system`;
const config = fileURLToPath(new URL('../config', import.meta.url));

/** As whom the operator acts. */
export const operatorUser = `system:serviceaccount:${namespace}:${name}`;

/** Installs the definition and the account with the generated roles and no others; the account's kubeconfig. */
export const install = (kube: Kubernetes): Promise<string> =>
  installOperator(kube, { config, serviceAccount: `${namespace}/${name}` });
