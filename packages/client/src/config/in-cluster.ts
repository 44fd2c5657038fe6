/** The configuration of a pod: its service account's token and authority, and the address that Kubernetes put into its environment. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';

export const defaultServiceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** `undefined` outside a pod, and in one that has no service account mounted. */
export async function inClusterConfig(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<ClusterConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const tokenFile = join(folder, 'token');
  if (!host || !port || !(await exists(tokenFile))) return undefined;
  const caFile = join(folder, 'ca.crt');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: (await textOf(join(folder, 'namespace'))) || 'default',
    tls: {
      ca: (await exists(caFile)) ? { type: 'file', path: caFile } : undefined,
      insecureSkipVerify: false,
    },
    credentials: { type: 'tokenFile', path: tokenFile },
    disableCompression: false,
    source: `service account in ${folder}`,
  };
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const textOf = (path: string) =>
  readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
