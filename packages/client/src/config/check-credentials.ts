/** Looks at what a kubeconfig names before anything is sent: a file that is missing, a key that does not fit. */
import { readFile } from 'node:fs/promises';
import type { ClusterConfig, Material } from './cluster-config.ts';
import { ConfigError } from './config-error.ts';
import { reasonOf } from './file-failure.ts';
import { checkedAuthority, checkedPair } from './tls-material.ts';

export async function checkCredentials({ tls, credentials, source }: ClusterConfig): Promise<void> {
  const textOf = async (field: string, material: Material) => {
    if (material.type === 'data') return material.pem.reveal();
    try {
      return await readFile(material.path, 'utf8');
    } catch (error) {
      const reason = `cannot read ${material.path}: ${reasonOf(error)}`;
      throw new ConfigError({ file: source, field }, reason, { cause: error });
    }
  };
  const { ca, clientCertificate: own } = tls;
  if (ca) checkedAuthority(source, ca, await textOf('certificate-authority', ca));
  if (own) {
    const certificate = await textOf('client-certificate', own.certificate);
    checkedPair(source, own, { certificate, key: await textOf('client-key', own.key) });
  }
  if (credentials.type === 'tokenFile') await textOf('tokenFile', { type: 'file', path: credentials.path });
}
