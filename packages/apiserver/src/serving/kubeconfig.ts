/** The text with which kubectl and every other client reach the server. */
import type { Identity } from '@keelson/core/x509';

export function kubeconfigText(server: string, authority: string, client: Identity): string {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
- name: keelson
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
users:
- name: keelson-admin
  user:
    client-certificate-data: ${base64(client.certificate)}
    client-key-data: ${base64(client.key)}
contexts:
- name: keelson
  context:
    cluster: keelson
    user: keelson-admin
current-context: keelson
`;
}
