/** Where an operator answers that runs on this machine, and how an API server on this machine finds and trusts it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conversionPath, webhookConfigurationsOf } from '@keelson/core';
import type { NewValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import type { WebhookClientConfig } from '@keelson/core/apiextensions/v1';
import { trusting, webhookAuthority } from '@keelson/runtime/outside';
import { freePort } from '@keelson/tools-kubernetes';
import { memcachedOperator } from '../src/operator.ts';

export interface WebhookPlace {
  /** For the operator. */
  readonly webhookFlags: readonly string[];
  /** For its definition. */
  readonly conversion: WebhookClientConfig;
  /** For what it validates. */
  readonly validating: NewValidatingWebhookConfiguration;
}

/** The certificate goes into the folder. */
export async function webhookPlace(folder: string): Promise<WebhookPlace> {
  const host = '127.0.0.1';
  const { identity, caBundle } = webhookAuthority(host);
  const [certFile, keyFile] = [join(folder, 'webhook.crt'), join(folder, 'webhook.key')];
  await writeFile(certFile, identity.certificate);
  await writeFile(keyFile, identity.key, { mode: 0o600 });
  const url = `https://${host}:${await freePort(host)}`;
  const namespace = `${memcachedOperator.name}-system`;
  const { validating } = webhookConfigurationsOf(memcachedOperator, { namespace, url });
  if (validating === undefined) throw new Error('the operator validates nothing');
  return {
    webhookFlags: ['--webhook-port', new URL(url).port, '--webhook-cert', certFile, '--webhook-key', keyFile],
    conversion: { url: `${url}${conversionPath}`, caBundle },
    validating: trusting(validating, caBundle),
  };
}
