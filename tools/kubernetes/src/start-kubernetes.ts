/**
 * A real Kubernetes for a test: `await using kube = await startKubernetes({ pods: true })`.
 *
 * Promises: the cluster is this process's own, whatever else runs on the machine, and is gone when disposed. If the
 * process is killed, the next cluster that anyone starts on this machine sweeps it away.
 */
import { delimiter } from 'node:path';
import type { Clock } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { takeDown } from './cluster/down.ts';
import { bringUp, type RunningCluster } from './cluster/up.ts';
import { startForwarder } from './forwarder.ts';
import type { Context, Environment } from './machine/context.ts';
import { type Progress, progressTo } from './machine/progress.ts';
import type { Node } from './node/node.ts';
import { kubeconfig } from './pki/kubeconfig.ts';
import { writeClientConfig, writePrivately } from './pki/pki.ts';
import { type Command, type Finished, type RunOptions, run, succeed } from './processes/run.ts';

export interface KubernetesOptions {
  /** Runs a node with containerd and kubelet, so that pods really run; needs root. @default false */
  readonly pods?: boolean;
  /** Writes every request to `kube.auditLog`. @default false */
  readonly auditLog?: boolean;
  /** @default the pinned version */
  readonly version?: string;
  /** More flags for kube-apiserver, which win over ours. @default [] */
  readonly apiServerFlags?: readonly string[];
  /**
   * The controllers of kube-controller-manager, in the words of its flag `--controllers`, for a test that must know who
   * writes. `false`: no controller manager and no scheduler; nothing changes but by requests, namespaces have no service
   * accounts, and what is deleted in the foreground stays. @default all
   */
  readonly controllers?: readonly string[] | false;
  /** More flags for kube-controller-manager, which win over ours. @default [] */
  readonly controllerManagerFlags?: readonly string[];
  /** @default process.env */
  readonly env?: Environment;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Where a build shows how far it is. @default standard error */
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
}

/** A user by name, or a service account by `namespace/name`, which must exist. */
export type Identity =
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly serviceAccount: string };

export interface Kubernetes extends AsyncDisposable {
  readonly version: string;
  /** The API server's address, such as `https://127.0.0.1:38443`. */
  readonly server: string;
  /** The path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  /** The environment of this process with KUBECONFIG set and our kubectl first on the PATH. */
  readonly env: Environment;
  /** One JSON object per request; present if asked for. */
  readonly auditLog: string | undefined;
  /** Holds logs/kube-apiserver.log and its like, and everything else of the cluster. */
  readonly directory: string;
  /** How long it took until it was ready, programs being at hand. */
  readonly startupMs: number;

  /** Runs kubectl to its end. */
  kubectl(...args: string[]): Promise<Finished>;
  /** Like `kubectl apply -f -`; throws if it fails. */
  apply(manifest: string): Promise<void>;
  /** The path of a kubeconfig with just that identity's rights. */
  kubeconfigFor(identity: Identity): Promise<string>;

  /** Ends the API server in order, starts it again, and returns when it is ready. */
  restartApiServer(): Promise<void>;
  /** Kills the API server; it stays away until `restartApiServer`. */
  killApiServer(): Promise<void>;
  /** Stops the API server in mid-air: connections stay open, and nothing answers until `resumeApiServer`. */
  suspendApiServer(): void;
  resumeApiServer(): void;
  /**
   * Makes etcd forget all history, and returns its present revision. Old resource versions are gone (410) once the API
   * server has forgotten them, too: it answers from its caches until it is restarted.
   */
  compactEtcd(): Promise<number>;

  /** Runs a command in a container of a pod, as `kubectl exec` does. The pod is `namespace/name`. */
  podExec(pod: string, command: readonly string[], options?: { readonly container?: string }): Promise<Finished>;
  /** Runs a program of this machine in the pod's network namespace; needs pods. The pod is `namespace/name`. */
  runInPodNetwork(pod: string, command: Command, options?: Pick<RunOptions, 'input'>): Promise<Finished>;
  /** Gives the node an image from an archive, as `docker save` writes it; needs pods. */
  importImage(archive: string): Promise<void>;
  /** Lets pods have images of a registry on loopback that speaks HTTP, such as `127.0.0.1:5000`, until disposed; needs pods. */
  pullFrom(registry: string): Promise<AsyncDisposable>;
}

let started = 0;

export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  const { env = process.env, clock = systemClock, signal } = options;
  const progress = options.progress ?? progressTo(process.stderr, clock);
  const context: Context = { env, clock, random: systemRandom, progress, signal };
  started += 1;
  const cluster = await bringUp(
    {
      name: `test-${process.pid}-${started}`,
      private: true,
      pods: options.pods ?? false,
      auditLog: options.auditLog ?? false,
      version: options.version,
      port: undefined,
      apiServerFlags: options.apiServerFlags ?? [],
      controllers: options.controllers,
      controllerManagerFlags: options.controllerManagerFlags ?? [],
    },
    context,
  );
  return kubernetes(cluster, context);
}

function kubernetes(cluster: RunningCluster, context: Context): Kubernetes {
  const { layout, record, programs, controlPlane } = cluster;
  const env = environmentOf(layout, context.env);
  const kubectl = (args: readonly string[], input?: string) => run([programs.path('kubectl'), ...args], { env, input });
  return {
    version: programs.version,
    server: controlPlane.server,
    kubeconfig: layout.kubeconfig,
    env,
    auditLog: record.ready.auditLog ? layout.auditLog : undefined,
    directory: layout.directory,
    startupMs: record.ready.startupMs,

    kubectl: (...args) => kubectl(args),
    async apply(manifest) {
      await succeed([programs.path('kubectl'), 'apply', '-f', '-'], { env, input: manifest });
    },
    kubeconfigFor: (identity) => kubeconfigFor(cluster, identity, env),

    async restartApiServer() {
      await controlPlane.stopApiServer('SIGTERM');
      await controlPlane.startApiServer();
    },
    killApiServer: () => controlPlane.stopApiServer('SIGKILL'),
    suspendApiServer: () => controlPlane.signalApiServer('SIGSTOP'),
    resumeApiServer: () => controlPlane.signalApiServer('SIGCONT'),
    compactEtcd: () => controlPlane.compactEtcd(),

    podExec(pod, command, { container } = {}) {
      const [namespace, name] = splitName(pod);
      return kubectl(['exec', '-n', namespace, name, ...(container ? ['-c', container] : []), '--', ...command]);
    },
    async runInPodNetwork(pod, command, runOptions) {
      return await nodeOf(cluster).runInPodNetwork(...splitName(pod), command, runOptions);
    },
    importImage: async (archive) => await nodeOf(cluster).importImage(archive),
    async pullFrom(registry) {
      const node = nodeOf(cluster);
      const forwarder = await startForwarder(`http://${registry}`, { address: node.network.hostAddress });
      node.nameRegistry(registry, forwarder.url);
      return forwarder;
    },

    async [Symbol.asyncDispose]() {
      await takeDown(cluster, context);
    },
  };
}

/** What `env` prints and `exec` sets. */
export function environmentOf(
  { kubeconfig: path, programs }: Pick<RunningCluster['layout'], 'kubeconfig' | 'programs'>,
  env: Environment,
): Environment {
  return { ...env, KUBECONFIG: path, PATH: [programs, env.PATH].filter(Boolean).join(delimiter) };
}

async function kubeconfigFor(cluster: RunningCluster, identity: Identity, env: Environment): Promise<string> {
  const { layout, programs, controlPlane } = cluster;
  const authority = controlPlane.pki.cluster;
  const { server } = controlPlane;
  if ('user' in identity) {
    const { user, groups = [] } = identity;
    return await writeClientConfig(layout.kubeconfigOf(`user-${user}`), authority, server, user, groups);
  }
  const [namespace, name] = splitName(identity.serviceAccount);
  const command: Command = [programs.path('kubectl'), 'create', 'token', name, '-n', namespace];
  const token = (await succeed([...command, '--duration=24h'], { env })).trim();
  const path = layout.kubeconfigOf(`service-account-${namespace}-${name}`);
  const certificateAuthority = authority.certificate;
  writePrivately(path, kubeconfig({ server, certificateAuthority, user: name, credentials: { token } }));
  return path;
}

function nodeOf({ node }: RunningCluster): Node {
  if (!node) throw new TypeError('this cluster has no node: start it with { pods: true }');
  return node;
}

function splitName(namespacedName: string): [namespace: string, name: string] {
  const [namespace, name, ...rest] = namespacedName.split('/');
  if (!namespace || !name || rest.length > 0) throw new TypeError(`not of the form namespace/name: ${namespacedName}`);
  return [namespace, name];
}
