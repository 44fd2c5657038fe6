/** Where an operator answers that runs on this machine, and how an API server on this machine finds and trusts it. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { conversionPath } from '@keelson/core';
import type { WebhookClientConfig } from '@keelson/core/apiextensions/v1';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';

export interface WebhookPlace {
  /** For the operator. */
  readonly webhookFlags: readonly string[];
  /** For its definition. */
  readonly conversion: WebhookClientConfig;
}

/** The certificate goes into the folder. */
export async function webhookPlace(folder: string): Promise<WebhookPlace> {
  const host = '127.0.0.1';
  const authority = createAuthority(systemRandom);
  const { certificate, key } = authority.issueServer('webhooks', [host]);
  const [certFile, keyFile] = [join(folder, 'webhook.crt'), join(folder, 'webhook.key')];
  await writeFile(certFile, certificate);
  await writeFile(keyFile, key, { mode: 0o600 });
  const port = await freePort(host);
  return {
    webhookFlags: ['--webhook-port', String(port), '--webhook-cert', certFile, '--webhook-key', keyFile],
    conversion: {
      url: `https://${host}:${port}${conversionPath}`,
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
  };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
