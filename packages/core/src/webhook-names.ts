/** Where the webhooks of an operator are found: every name and path that its files, its process and its rights agree on. */
import { type NamedWebhook, webhookName } from './webhook.ts';

/** The objects that go with the webhooks of one operator. */
export interface WebhookNames {
  /** The Service by which the API server reaches them, on port 443. */
  readonly service: string;
  /** The Secret with their authority and certificate. */
  readonly secret: string;
  /** The MutatingWebhookConfiguration. */
  readonly mutating: string;
  /** The ValidatingWebhookConfiguration. */
  readonly validating: string;
}

/** The names of what goes with the webhooks of an operator. */
export function webhookNames({ name }: { readonly name: string }): WebhookNames {
  return {
    service: `${name}-webhook`,
    secret: `${name}-webhook-certificate`,
    mutating: `${name}-mutating`,
    validating: `${name}-validating`,
  };
}

/** The port of the process that answers. */
export const webhookPort = 9443;

/** Where a webhook is asked. */
export function webhookPath(part: 'mutate' | 'validate', webhook: NamedWebhook): string {
  return `/${part}/${webhookName(webhook)}`;
}

/** Where objects are converted between versions. */
export const conversionPath = '/convert';
