/**
 * Webhooks of operators on a test's cluster: configured as they are in production, and answered in process.
 *
 * The API server reaches them by their Service, without a network and without certificates, in the cluster's own time.
 */
import type { Client } from '@keelson/client';
import type { Cluster } from '@keelson/cluster';
import { type Operator, servesWebhooks, webhookConfigurationsOf, webhookNames } from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import type { WebhookDoor } from '@keelson/runtime';
import { operatorsNamespace } from './own-rights.ts';

/** Tells the API server to ask an operator, which has to answer from then on. */
export async function configureWebhooks(client: Client, operator: Operator): Promise<void> {
  const { mutating, validating } = webhookConfigurationsOf(operator, { namespace: operatorsNamespace });
  if (mutating !== undefined) await client.apply(MutatingWebhookConfiguration, mutating);
  if (validating !== undefined) await client.apply(ValidatingWebhookConfiguration, validating);
}

/** Where the replicas of an operator answer; the one that came last does. */
export function webhookDoor({ services }: Pick<Cluster, 'services'>, operator: Operator): WebhookDoor | false {
  if (!servesWebhooks(operator)) return false;
  const service = { namespace: operatorsNamespace, name: webhookNames(operator).service };
  return (transport) => services.serve(service, transport);
}
