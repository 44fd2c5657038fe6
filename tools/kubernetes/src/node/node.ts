/**
 * One node of the cluster, with containerd and kubelet, on which pods really run.
 *
 * Promises: `join` returns when the node is Ready and service addresses work; whatever happens inside ends with the
 * node's namespaces.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { type Clock, deadline } from '@keelson/core';
import type { Programs } from '../binaries/lookup.ts';
import { nodePrograms } from '../binaries/programs.ts';
import type { Layout } from '../cluster-directory/layout.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type DebianRoot, environmentFor } from '../debian/packages.ts';
import { busybox, memcached, pause } from '../images/contents.ts';
import { imageArchive } from '../images/image.ts';
import type { Context, Environment } from '../machine/context.ts';
import { until } from '../machine/wait.ts';
import { writeClientConfig, writePrivately } from '../pki/pki.ts';
import { logHint, requireRunning } from '../processes/failure-reason.ts';
import { launch, type Started } from '../processes/ledger.ts';
import { type Command, type Finished, type RunOptions, run, succeed } from '../processes/run.ts';
import { createCgroups } from './cgroups.ts';
import {
  containerdCommand,
  containerdConfiguration,
  containerdSocket,
  kubeletCommand,
  kubeletConfiguration,
  kubeProxyCommand,
  nodeFiles,
  nodeName,
  podNetwork,
  registryHosts,
  type Snapshotter,
} from './configuration.ts';
import { createNamespaces, inside, type Namespaces } from './namespaces.ts';
import { connectNode, type Network } from './network.ts';

export interface NodeOptions {
  readonly layout: Layout;
  readonly programs: Programs;
  readonly debian: DebianRoot;
  readonly cgroup: string;
  readonly macAddress: string;
}

const overlayFileSystem = 0x794c7630;

export class Node {
  readonly network: Network;
  readonly #options: NodeOptions;
  readonly #context: Context;
  readonly #namespaces: Namespaces;
  readonly #running: Started[] = [];
  #snapshotter: Snapshotter = 'overlayfs';

  private constructor(options: NodeOptions, context: Context, namespaces: Namespaces, network: Network) {
    this.#options = options;
    this.#context = context;
    this.#namespaces = namespaces;
    this.network = network;
  }

  /** Makes the node's place on this machine; nothing runs there yet. The API server needs its address to start. */
  static async create(options: NodeOptions, context: Context): Promise<Node> {
    const { layout, debian, programs, cgroup, macAddress } = options;
    createCgroups(cgroup);
    const namespaces = await createNamespaces(
      {
        layout,
        packages: debian.directory,
        programs: Object.fromEntries(nodePrograms.map((program) => [program, programs.path(program)])),
        env: debian.env,
      },
      context,
    );
    const network = await connectNode(namespaces, macAddress, debian.env, context);
    return new Node(options, context, namespaces, network);
  }

  /** Starts containerd and gives it its images. Needs no API server. */
  async startContainerd(): Promise<void> {
    const { layout, programs, debian } = this.#options;
    const { type } = await statfs(layout.node);
    this.#snapshotter = type === overlayFileSystem ? 'native' : 'overlayfs';
    const file = (name: string, content: string) => writePrivately(join(layout.directory, name), content);
    file(nodeFiles.containerd, containerdConfiguration(this.#snapshotter));
    file(join(nodeFiles.networks, '10-keelson.conflist'), podNetwork(this.network));
    this.#launch('containerd', containerdCommand());
    await this.#until('containerd', async () => {
      const { code } = await this.#ctr('version');
      return code === 0 ? true : undefined;
    });
    const images = [pause(programs.path('pause')), await busybox(debian), await memcached(debian)];
    mkdirSync(join(layout.node, 'images'), { recursive: true });
    for (const [index, image] of images.entries()) {
      const archive = join(layout.node, 'images', `${index}.tar`);
      writeFileSync(archive, imageArchive(image));
      await this.importImage(archive);
    }
  }

  /** Starts kubelet and kube-proxy, and returns when the node is Ready. */
  async join(controlPlane: ControlPlane): Promise<void> {
    const { layout, cgroup } = this.#options;
    const { cluster } = controlPlane.pki;
    const { server } = controlPlane;
    const addresses = [this.network.nodeAddress, nodeName];
    const serving = await cluster.issueServer(`system:node:${nodeName}`, addresses, ['system:nodes']);
    writePrivately(layout.pki('kubelet.crt'), serving.certificate);
    writePrivately(layout.pki('kubelet.key'), serving.key);
    await writeClientConfig(layout.kubeconfigOf('kubelet'), cluster, server, `system:node:${nodeName}`, [
      'system:nodes',
    ]);
    await writeClientConfig(layout.kubeconfigOf('kube-proxy'), cluster, server, 'system:kube-proxy');
    writePrivately(join(layout.directory, nodeFiles.kubelet), kubeletConfiguration({ network: this.network, cgroup }));
    this.#launch('kube-proxy', kubeProxyCommand(this.network));
    this.#launch('kubelet', kubeletCommand(this.network));
    await this.#until('the node to be Ready', async () => {
      const answer = await controlPlane.get(`/api/v1/nodes/${nodeName}`);
      return answer?.status === 200 && isReady(answer.body) ? true : undefined;
    });
    await this.#until('kube-proxy', () =>
      isHealthy(`http://${this.network.nodeAddress}:10256/healthz`, this.#context.clock),
    );
  }

  /** Runs a program inside the node. It sees the node's processes and network, and most of the machine's files. */
  run(command: Command, options: RunOptions = {}): Promise<Finished> {
    return run(this.#namespaces.enter(command), { ...options, env: this.#env });
  }

  /** Runs a program of the machine in the network of a pod: `localhost` is the pod's. */
  async runInPodNetwork(namespace: string, pod: string, command: Command, options: RunOptions = {}): Promise<Finished> {
    const pid = await this.#sandboxPid(namespace, pod);
    return await this.run(['nsenter', `--target=${pid}`, '--net', '--', ...command], options);
  }

  /** Takes images over from an archive, such as `docker save` or an OCI layout writes. */
  async importImage(archive: string): Promise<void> {
    const ctr = this.#ctrCommand('images', 'import', '--snapshotter', this.#snapshotter, '-');
    // Opened out here: what is below /run or /var/lib cannot be seen inside.
    await succeed(['sh', '-c', 'exec "$@" <"$0"', archive, ...this.#namespaces.enter(ctr)], { env: this.#env });
  }

  /** Tells containerd where a registry is that speaks HTTP. */
  nameRegistry(registry: string, url: string): void {
    const file = join(this.#options.layout.directory, nodeFiles.registries, registry, 'hosts.toml');
    writePrivately(file, registryHosts(url));
  }

  async #sandboxPid(namespace: string, pod: string): Promise<string> {
    const labels = {
      'io.cri-containerd.kind': 'sandbox',
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.name': pod,
    };
    const filter = Object.entries(labels).map(([key, value]) => `labels."${key}"==${value}`);
    const sandboxes = await this.#ctr('containers', 'list', '--quiet', filter.join(','));
    const tasks = await this.#ctr('tasks', 'list');
    const ids = new Set(sandboxes.stdout.split('\n').filter(Boolean));
    const running = tasks.stdout.split('\n').map((line) => line.trim().split(/\s+/));
    const [, pid] = running.find(([id = '', , status]) => ids.has(id) && status === 'RUNNING') ?? [];
    if (!pid) throw new RangeError(`no pod ${namespace}/${pod} runs on the node`);
    return pid;
  }

  #ctr(...args: string[]): Promise<Finished> {
    return this.run(this.#ctrCommand(...args));
  }

  #ctrCommand(...args: string[]): Command {
    return [`${inside.packages}/usr/bin/ctr`, '--address', containerdSocket, '--namespace', 'k8s.io', ...args];
  }

  #launch(name: string, command: Command): void {
    const started = launch(this.#options.layout.ledger, name, this.#namespaces.enter(command), { env: this.#env });
    this.#running.push(started);
  }

  #until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const { clock, signal } = this.#context;
    const watched = async () => {
      for (const started of this.#running) requireRunning(started);
      return await probe();
    };
    const hint = () => logHint(this.#running.at(-1));
    return until(watched, { clock, signal, what, deadlineMs: 300_000, everyMs: 100, hint });
  }

  /** Only what the programs need: a proxy or a language of the user's shell is none of their business. */
  get #env(): Environment {
    const { PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR } = environmentFor(inside.packages, this.#context.env);
    return { PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR, HOME: '/run', TMPDIR: `${inside.cluster}/node/tmp` };
  }
}

function isReady(body: string): boolean {
  const node = JSON.parse(body) as { status?: { conditions?: { type: string; status: string }[] } };
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

async function isHealthy(url: string, clock: Clock): Promise<true | undefined> {
  using limit = deadline(clock, 2000, url);
  return await new Promise((resolve) => {
    const request = get(url, { agent: false, signal: limit.signal }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? true : undefined);
    });
    request.on('error', () => resolve(undefined));
  });
}
