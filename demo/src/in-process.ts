/** Webhooks and conversions of an operator of the demo: asked by the cluster in this process, without a network. */
import type { Client } from '@keelson/client';
import type { Cluster } from '@keelson/cluster';
import { type Operator, servesWebhooks, webhookConfigurationsOf, webhookNames } from '@keelson/core';
import type { WebhookDoor } from '@keelson/runtime';
import { applyConfigurations } from '@keelson/runtime/outside';

/** Where the cluster believes the operators to be. In their own namespace nothing is asked about, so it is nobody else's. */
export const operatorNamespace = 'operators';

export interface InProcess {
  /** For the manager. */
  readonly door: WebhookDoor | false;
  /** Until then the cluster finds nobody to ask. */
  readonly opened: Promise<void>;
}

/** Has the cluster ask the operator, once its manager has opened the door. */
export async function inProcess({ services }: Cluster, client: Client, operator: Operator): Promise<InProcess> {
  if (!servesWebhooks(operator)) return { door: false, opened: Promise.resolve() };
  const service = { namespace: operatorNamespace, name: webhookNames(operator).service };
  await applyConfigurations(client, webhookConfigurationsOf(operator, { namespace: operatorNamespace }));
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const door: WebhookDoor = (transport) => {
    resolve();
    return services.serve(service, transport);
  };
  return { door, opened };
}
