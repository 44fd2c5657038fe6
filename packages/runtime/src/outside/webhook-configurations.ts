/** The two webhook configurations of an operator on a cluster: made, and removed. */
import type { Client } from '@keelson/client';
import { isNotFound, type WebhookConfigurations } from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';

/** Those that are there. */
export async function applyConfigurations(
  client: Client,
  { mutating, validating }: WebhookConfigurations,
): Promise<void> {
  if (mutating) await client.apply(MutatingWebhookConfiguration, mutating, { force: true });
  if (validating) await client.apply(ValidatingWebhookConfiguration, validating, { force: true });
}

/** Those of these names, whether or not they are there; who has no name stays. */
export async function removeConfigurations(
  client: Client,
  { mutating, validating }: { readonly mutating?: string | undefined; readonly validating?: string | undefined },
): Promise<void> {
  const unlessGone = (error: unknown) => {
    if (!isNotFound(error)) throw error;
  };
  if (mutating) await client.delete(MutatingWebhookConfiguration, mutating).catch(unlessGone);
  if (validating) await client.delete(ValidatingWebhookConfiguration, validating).catch(unlessGone);
}
