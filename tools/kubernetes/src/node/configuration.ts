/** The files that the node's programs read, and their command lines: values in, text out. */
import { stringify } from 'yaml';
import { pauseImage } from '../images/contents.ts';
import type { Command } from '../processes/run.ts';
import { inside } from './namespaces.ts';
import type { Network } from './network.ts';

export const nodeName = 'keelson';
export const containerdSocket = '/run/containerd/containerd.sock';

/** Paths inside the node, relative to the cluster's directory there. */
export const nodeFiles = {
  containerd: 'node/containerd.toml',
  networks: 'node/networks',
  registries: 'node/registries',
  kubelet: 'node/kubelet.yaml',
} as const;

const within = (path: string) => `${inside.cluster}/${path}`;

/** Overlay cannot lie on overlay, which a machine that is itself a container may have for its disk. */
export type Snapshotter = 'overlayfs' | 'native';

export function containerdConfiguration(snapshotter: Snapshotter): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
address = "${containerdSocket}"

[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Pods may not be given a lower score than containerd has, for lack of CAP_SYS_RESOURCE.
restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "${snapshotter}"
default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "${inside.packages}/usr/sbin/runc"
SystemdCgroup = false

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${inside.packages}/usr/lib/cni"
conf_dir = "${within(nodeFiles.networks)}"

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${within(nodeFiles.registries)}"
`;
}

/** How containerd reaches a registry without TLS; it reads this with each pull. */
export function registryHosts(url: string): string {
  return `server = "${url}"

[host."${url}"]
capabilities = ["pull", "resolve"]
`;
}

export function podNetwork({ podRange }: Network): string {
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: 'keelson',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        hairpinMode: true, // a pod may reach itself through its service
        ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}

export interface KubeletOptions {
  readonly network: Network;
  readonly cgroup: string;
}

export function kubeletConfiguration({ network, cgroup }: KubeletOptions): string {
  return stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: network.nodeAddress,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: within('pki/ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: within('pki/kubelet.crt'),
    tlsPrivateKeyFile: within('pki/kubelet.key'),
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    cgroupRoot: `/${cgroup}`,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    // The machine belongs to others too: how full its disk is decides nothing here.
    evictionHard: { 'imagefs.available': '0%', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%' },
    imageGCHighThresholdPercent: 100,
    makeIPTablesUtilChains: false, // kube-proxy makes its own
    resolvConf: '', // no name server can be reached from a pod; better no answer at once than after a timeout
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
  });
}

export function containerdCommand(): Command {
  return [`${inside.packages}/usr/bin/containerd`, '--config', within(nodeFiles.containerd)];
}

export function kubeletCommand({ nodeAddress }: Network): Command {
  return [
    `${inside.programs}/kubelet`,
    `--config=${within(nodeFiles.kubelet)}`,
    `--kubeconfig=${within('kubeconfigs/kubelet')}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
  ];
}

export function kubeProxyCommand({ nodeAddress, podRange }: Network): Command {
  return [
    `${inside.programs}/kube-proxy`,
    `--kubeconfig=${within('kubeconfigs/kube-proxy')}`,
    `--hostname-override=${nodeName}`,
    '--proxy-mode=iptables',
    `--cluster-cidr=${podRange}`,
    `--healthz-bind-address=${nodeAddress}:10256`,
    `--nodeport-addresses=${nodeAddress}/32`,
    '--iptables-localhost-nodeports=false',
    // Limits of connection tracking are the machine's own affair.
    '--conntrack-max-per-core=0',
    '--conntrack-min=0',
    '--conntrack-tcp-timeout-established=0',
    '--conntrack-tcp-timeout-close-wait=0',
  ];
}
