/**
 * Finds the cluster to talk to.
 *
 * In this order: the kubeconfig that is named; `KUBECONFIG`, with several files merged as kubectl merges them; the pod's
 * own service account; `~/.kube/config`. The first that is there decides; if it is broken, that is an error and nothing
 * further is tried.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ClusterConfig, Material } from './cluster-config.ts';
import { ConfigError } from './config-error.ts';
import { isMissing, reasonOf } from './file-failure.ts';
import { defaultServiceAccountFolder, inClusterConfig } from './in-cluster.ts';
import { type KubeconfigFile, readKubeconfig } from './kubeconfig.ts';

export interface LoadConfigOptions {
  /** A kubeconfig file; it must exist. */
  readonly kubeconfig?: string | undefined;
  /** The context to use instead of the file's `current-context`. A pod's own service account has none. */
  readonly context?: string | undefined;
  /** Where `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and `HOME` come from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where a pod's service account is mounted. @default '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly serviceAccountFolder?: string | undefined;
}

export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const { kubeconfig, context, env = process.env, serviceAccountFolder = defaultServiceAccountFolder } = options;
  if (kubeconfig !== undefined) return fromFiles([await fileAt(kubeconfig)], context);

  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) {
    const present = (await Promise.all(named.map(fileIfThere))).filter((file) => file !== undefined);
    if (present.length === 0) {
      throw new ConfigError({}, `KUBECONFIG names ${named.join(', ')}, but there is no such file`);
    }
    return fromFiles(present, context);
  }

  const pod = context === undefined ? await inClusterConfig(env, serviceAccountFolder) : undefined;
  if (pod) return pod;

  const home = join(env.HOME || homedir(), '.kube', 'config');
  const file = await fileIfThere(home);
  if (file) return fromFiles([file], context);
  throw new ConfigError(
    {},
    `no cluster is configured: name a kubeconfig file, set KUBECONFIG, run in a pod with a service account, or create ${home}`,
  );
}

async function fromFiles(files: readonly KubeconfigFile[], context: string | undefined): Promise<ClusterConfig> {
  const config = await readKubeconfig(files, context);
  const { tls, credentials, source } = config;
  await readable(tls.ca, 'certificate-authority', source);
  await readable(tls.clientCertificate?.certificate, 'client-certificate', source);
  await readable(tls.clientCertificate?.key, 'client-key', source);
  await readable(
    credentials.type === 'tokenFile' ? { type: 'file', path: credentials.path } : undefined,
    'tokenFile',
    source,
  );
  return config;
}

/** A file that cannot be read is better known now, together with the field that names it. */
async function readable(material: Material | undefined, field: string, source: string): Promise<void> {
  if (material?.type !== 'file') return;
  await access(material.path, constants.R_OK).catch((error: unknown) => {
    throw new ConfigError({ file: source, field }, `cannot read ${material.path}: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

async function fileAt(path: string): Promise<KubeconfigFile> {
  const absolute = resolve(path);
  try {
    return { path: absolute, text: await readFile(absolute, 'utf8') };
  } catch (error) {
    throw new ConfigError({ file: absolute }, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function fileIfThere(path: string): Promise<KubeconfigFile | undefined> {
  try {
    return await fileAt(path);
  } catch (error) {
    if (error instanceof ConfigError && isMissing(error.cause)) return undefined;
    throw error;
  }
}
