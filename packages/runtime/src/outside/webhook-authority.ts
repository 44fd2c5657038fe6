/** An authority for the webhooks of a process outside of a cluster, and how an API server is told to trust it. */
import type { WebhookConfigurations } from '@keelson/core';
import { systemRandom } from '@keelson/core/system';
import { createAuthority, type Identity } from '@keelson/core/x509';

/** What one process needs to be asked by an API server. */
export interface WebhookAuthority {
  /** What the process shows. */
  readonly identity: Identity;
  /** What the API server trusts, as a configuration has it. */
  readonly caBundle: string;
}

/** Lives as long as the process. */
export function webhookAuthority(host: string): WebhookAuthority {
  const authority = createAuthority(systemRandom);
  return {
    identity: authority.issueServer('webhooks', [host]),
    caBundle: Buffer.from(authority.certificate).toString('base64'),
  };
}

type Configuration = NonNullable<WebhookConfigurations['mutating']>;

/** The configuration, with whom to trust in each of its entries. */
export function trusting<C extends Pick<Configuration, 'webhooks'>>(configuration: C, caBundle: string): C {
  const webhooks = configuration.webhooks?.map((each) => ({
    ...each,
    clientConfig: { ...each.clientConfig, caBundle },
  }));
  return { ...configuration, webhooks };
}
