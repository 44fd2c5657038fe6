/**
 * Finds the cluster to talk to.
 *
 * In this order: the kubeconfig that is named; `KUBECONFIG`, with several files merged as kubectl merges them; the pod's
 * own service account; `~/.kube/config`. The first that is there decides; if it is broken, that is an error and nothing
 * further is tried. Where it names no proxy, the environment may. Nothing else reads the environment to find a cluster.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';
import { ConfigError } from './config-error.ts';
import { isMissing, reasonOf } from './file-failure.ts';
import { defaultServiceAccountFolder, inClusterConfig } from './in-cluster.ts';
import { type KubeconfigFile, readKubeconfig } from './kubeconfig.ts';
import { proxyFromEnvironment } from './proxy.ts';

/** Where to look for a cluster. */
export interface LoadConfigOptions {
  /** A kubeconfig file; it must exist. Empty means that none is named. */
  readonly kubeconfig?: string | undefined;
  /** The context to use instead of the file's `current-context`. A pod's own service account has none. */
  readonly context?: string | undefined;
  /** Where `KUBECONFIG`, `KUBERNETES_SERVICE_HOST`, `HOME`, `HTTPS_PROXY` and `NO_PROXY` come from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where a pod's service account is mounted. @default '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly serviceAccountFolder?: string | undefined;
}

/**
 * Finds the cluster to talk to: the kubeconfig that is named, those in `KUBECONFIG` merged as kubectl merges them, the pod's
 * own service account, or `~/.kube/config`; the first that is there. Throws a `ConfigError` that says what is wrong.
 *
 * @example
 * const config = await loadConfig(); // where kubectl would go
 * const other = await loadConfig({ kubeconfig: 'staging.yaml', context: 'admin' });
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const config = await findConfig(options);
  if (config.proxyUrl) return config;
  const proxyUrl = await proxyFromEnvironment(options.env ?? process.env, config.server);
  return proxyUrl ? { ...config, proxyUrl } : config;
}

async function findConfig(options: LoadConfigOptions): Promise<ClusterConfig> {
  const { kubeconfig, context, env = process.env, serviceAccountFolder = defaultServiceAccountFolder } = options;
  if (kubeconfig) return fromFiles([await fileAt(kubeconfig)], context);

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
  // What cannot be used is better known now, together with the field that names it.
  const { checkCredentials } = await import('./check-credentials.ts'); // late: it needs node:crypto, and a pod does not
  await checkCredentials(config);
  return config;
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
