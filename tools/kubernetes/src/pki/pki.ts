/**
 * The credentials of a control plane, written to its directory.
 *
 * Three authorities, because each is believed by different servers: a user's certificate must not open etcd, and
 * only the API server may speak for others through the front proxy's headers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Layout } from '../cluster-directory/layout.ts';
import type { Context } from '../machine/context.ts';
import { type Authority, createAuthority, createTokenSigner, type KeyPair } from './certificates.ts';
import { kubeconfig } from './kubeconfig.ts';

export interface Pki {
  readonly cluster: Authority;
  readonly admin: KeyPair;
  readonly etcdAuthority: string;
  readonly etcdClient: KeyPair;
}

export interface PkiOptions {
  readonly layout: Layout;
  readonly server: string;
  /** Names and addresses by which clients call the API server. */
  readonly apiServerHosts: readonly string[];
}

export async function createPki({ layout, server, apiServerHosts }: PkiOptions, context: Context): Promise<Pki> {
  const { clock, random } = context;
  const [cluster, etcd, frontProxy, tokens] = await Promise.all([
    createAuthority('kubernetes-ca', clock, random),
    createAuthority('etcd-ca', clock, random),
    createAuthority('front-proxy-ca', clock, random),
    createTokenSigner(),
  ]);
  const etcdClient = await etcd.issueClient('kube-apiserver');
  const admin = await cluster.issueClient('kubernetes-admin', ['system:masters']);

  const file = (name: string, content: string) => writePrivately(layout.pki(name), content);
  const pair = (name: string, { certificate, key }: KeyPair) => {
    file(`${name}.crt`, certificate);
    file(`${name}.key`, key);
  };
  pair('ca', cluster);
  file('etcd-ca.crt', etcd.certificate);
  file('front-proxy-ca.crt', frontProxy.certificate);
  pair('etcd', await etcd.issueServer('etcd', ['127.0.0.1', 'localhost']));
  pair('apiserver', await cluster.issueServer('kube-apiserver', apiServerHosts));
  pair('apiserver-etcd-client', etcdClient);
  pair('apiserver-kubelet-client', await cluster.issueClient('kube-apiserver-kubelet-client', ['system:masters']));
  pair('front-proxy-client', await frontProxy.issueClient('front-proxy-client'));
  pair('loopback', await cluster.issueServer('loopback', ['127.0.0.1', 'localhost']));
  file('sa.pub', tokens.publicKey);
  file('sa.key', tokens.privateKey);

  const users = {
    'kube-controller-manager': 'system:kube-controller-manager',
    'kube-scheduler': 'system:kube-scheduler',
  };
  for (const [program, user] of Object.entries(users)) {
    await writeClientConfig(layout.kubeconfigOf(program), cluster, server, user);
  }
  writePrivately(
    layout.kubeconfig,
    kubeconfig({ server, certificateAuthority: cluster.certificate, user: 'kubernetes-admin', credentials: admin }),
  );
  return { cluster, admin, etcdAuthority: etcd.certificate, etcdClient };
}

/** A kubeconfig for that user, who needs no more than a certificate to exist. */
export async function writeClientConfig(
  path: string,
  cluster: Authority,
  server: string,
  user: string,
  groups: readonly string[] = [],
): Promise<string> {
  const credentials = await cluster.issueClient(user, groups);
  writePrivately(path, kubeconfig({ server, certificateAuthority: cluster.certificate, user, credentials }));
  return path;
}

export function writePrivately(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
}
