/** The kubeconfig file: one cluster, one user, one context. */
import { stringify } from 'yaml';
import type { KeyPair } from './certificates.ts';

export interface KubeconfigContent {
  readonly server: string;
  /** Of the API server, as PEM. */
  readonly certificateAuthority: string;
  readonly user: string;
  readonly credentials: KeyPair | { readonly token: string };
}

export function kubeconfig({ server, certificateAuthority, user, credentials }: KubeconfigContent): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'keelson', cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name: user, user: userEntry(credentials) }],
    contexts: [{ name: 'keelson', context: { cluster: 'keelson', user } }],
    'current-context': 'keelson',
  });
}

function userEntry(credentials: KubeconfigContent['credentials']) {
  if ('token' in credentials) return { token: credentials.token };
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
