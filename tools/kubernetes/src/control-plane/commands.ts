/** The command lines of the control plane: values in, words out. */
import type { Layout } from '../cluster-directory/layout.ts';
import type { Command } from '../processes/run.ts';

const serviceRange = '10.96.0.0/16';
/** The first address of the range is the API server's own service. */
export const serviceAddress = '10.96.0.1';

export interface Ports {
  readonly apiServer: number;
  readonly etcd: number;
  readonly etcdPeers: number;
  readonly controllerManager: number;
  readonly scheduler: number;
}

export interface ApiServerOptions {
  /** Where it listens: loopback, or the node's side of the machine so that pods reach it. */
  readonly address: string;
  readonly auditLog: boolean;
  readonly flags: readonly string[];
}

export function etcdCommand(program: string, layout: Layout, ports: Ports): Command {
  const clients = `https://127.0.0.1:${ports.etcd}`;
  const peers = `https://127.0.0.1:${ports.etcdPeers}`;
  return [
    program,
    '--name=etcd',
    `--data-dir=${layout.etcdData}`,
    '--unsafe-no-fsync', // the data need not survive the machine
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=etcd=${peers}`,
    ...['', 'peer-'].flatMap((side) => [
      `--${side}cert-file=${layout.pki('etcd.crt')}`,
      `--${side}key-file=${layout.pki('etcd.key')}`,
      `--${side}trusted-ca-file=${layout.pki('etcd-ca.crt')}`,
      `--${side}client-cert-auth`,
    ]),
  ];
}

export function apiServerCommand(program: string, layout: Layout, ports: Ports, options: ApiServerOptions): Command {
  const isLoopback = options.address.startsWith('127.');
  return [
    program,
    `--bind-address=${options.address}`,
    `--advertise-address=${options.address}`,
    `--secure-port=${ports.apiServer}`,
    // The endpoints of the service `kubernetes` may not be loopback addresses.
    ...(isLoopback ? ['--endpoint-reconciler-type=none'] : []),
    `--etcd-servers=https://127.0.0.1:${ports.etcd}`,
    `--etcd-cafile=${layout.pki('etcd-ca.crt')}`,
    `--etcd-certfile=${layout.pki('apiserver-etcd-client.crt')}`,
    `--etcd-keyfile=${layout.pki('apiserver-etcd-client.key')}`,
    `--tls-cert-file=${layout.pki('apiserver.crt')}`,
    `--tls-private-key-file=${layout.pki('apiserver.key')}`,
    `--client-ca-file=${layout.pki('ca.crt')}`,
    `--kubelet-certificate-authority=${layout.pki('ca.crt')}`,
    `--kubelet-client-certificate=${layout.pki('apiserver-kubelet-client.crt')}`,
    `--kubelet-client-key=${layout.pki('apiserver-kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--requestheader-client-ca-file=${layout.pki('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${layout.pki('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${layout.pki('front-proxy-client.key')}`,
    // Services in webhooks are called at their pods: this machine is no node, and knows no service addresses.
    '--enable-aggregator-routing=true',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${layout.pki('sa.pub')}`,
    `--service-account-signing-key-file=${layout.pki('sa.key')}`,
    `--service-cluster-ip-range=${serviceRange}`,
    '--authorization-mode=Node,RBAC',
    // The second as OpenShift has it: who blocks an owner's deletion must be allowed to update its finalizers.
    '--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement',
    '--allow-privileged=true',
    // Without it, an API server that is told to end waits a whole minute for watches that nobody ends.
    '--shutdown-watch-termination-grace-period=1s',
    ...(options.auditLog ? [`--audit-log-path=${layout.auditLog}`, `--audit-policy-file=${layout.auditPolicy}`] : []),
    ...options.flags,
  ];
}

/** Everything that is worth reading afterwards: who asked for what with which object, and how it ended. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Request
`;

/** `controllers` is in its own words: names, `-name` for all but that one, `*` for the default. The last flag wins. */
export function controllerManagerCommand(
  program: string,
  layout: Layout,
  ports: Ports,
  controllers: readonly string[] | undefined,
  flags: readonly string[] = [],
): Command {
  return [
    program,
    ...client(layout, 'kube-controller-manager', ports.controllerManager),
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${layout.pki('sa.key')}`,
    `--root-ca-file=${layout.pki('ca.crt')}`,
    `--cluster-signing-cert-file=${layout.pki('ca.crt')}`,
    `--cluster-signing-key-file=${layout.pki('ca.key')}`,
    ...(controllers === undefined ? [] : [`--controllers=${controllers.join(',')}`]),
    ...flags,
  ];
}

export function schedulerCommand(program: string, layout: Layout, ports: Ports): Command {
  return [program, ...client(layout, 'kube-scheduler', ports.scheduler)];
}

function client(layout: Layout, name: string, port: number): string[] {
  const config = layout.kubeconfigOf(name);
  return [
    `--kubeconfig=${config}`,
    `--authentication-kubeconfig=${config}`,
    `--authorization-kubeconfig=${config}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${layout.pki('loopback.crt')}`,
    `--tls-private-key-file=${layout.pki('loopback.key')}`,
    '--leader-elect=false', // there is no other
    // With the default of 20 per second, the controller manager takes seconds to fetch its forty tokens.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
