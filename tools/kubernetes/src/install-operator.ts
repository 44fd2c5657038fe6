/** Brings what `keelson generate` made for an operator onto a cluster, but for its Deployment: tests start it themselves. */
import type { Kubernetes } from './start-kubernetes.ts';

export interface OperatorInstallation {
  /** The operator's folder `config`. */
  readonly config: string;
  /** Its service account, `namespace/name`. */
  readonly serviceAccount: string;
}

/** Installs definitions, account and roles, and no others; resolves with the account's kubeconfig. */
export async function installOperator(
  kube: Kubernetes,
  { config, serviceAccount }: OperatorInstallation,
): Promise<string> {
  const kubectl = async (...args: string[]) => {
    const { code, stderr } = await kube.kubectl(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  };
  await kubectl('apply', '--server-side', '-f', `${config}/manager/namespace.yaml`);
  await kubectl('apply', '--server-side', '-k', `${config}/crd`);
  await kubectl('apply', '--server-side', '-k', `${config}/rbac`);
  await kubectl('wait', '--for=condition=Established', '-f', `${config}/crd/bases`, '--timeout=5m');
  return kube.kubeconfigFor({ serviceAccount });
}
