/** The directory of one cluster: what is where. All of it goes away with the cluster. */
import { join } from 'node:path';
import { type Ledger, ledgerIn } from '../processes/ledger.ts';

export interface Layout {
  readonly directory: string;
  readonly record: string;
  readonly ledger: Ledger;
  /** Of the administrator; what `env` exports. */
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly auditPolicy: string;
  readonly etcdData: string;
  /** Goes first on the PATH: only kubectl is in it. */
  readonly programs: string;
  readonly node: string;
  /** A certificate or key. */
  pki(file: string): string;
  kubeconfigOf(user: string): string;
}

export function layoutOf(directory: string): Layout {
  return {
    directory,
    record: join(directory, 'cluster.json'),
    ledger: ledgerIn(directory),
    kubeconfig: join(directory, 'kubeconfig'),
    auditLog: join(directory, 'audit.log'),
    auditPolicy: join(directory, 'audit-policy.yaml'),
    etcdData: join(directory, 'etcd'),
    programs: join(directory, 'bin'),
    node: join(directory, 'node'),
    pki: (file) => join(directory, 'pki', file),
    kubeconfigOf: (user) => join(directory, 'kubeconfigs', user.replaceAll(/[^\w.-]/g, '-')),
  };
}
