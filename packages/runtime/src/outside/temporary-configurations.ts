/**
 * Webhook configurations of an operator that runs on a person's machine, on a cluster that others use.
 *
 * Promises: they are that person's own, by their names, and let everything through when nobody answers.
 */
import { type Operator, type WebhookConfigurations, webhookConfigurationsOf } from '@keelson/core';
import { trusting } from './webhook-authority.ts';

type Configuration = Pick<NonNullable<WebhookConfigurations['mutating']>, 'webhooks'>;

export interface TemporaryPlace {
  readonly owner: string;
  /** Where the process answers. */
  readonly url: string;
  readonly caBundle: string;
}

export function temporaryConfigurations(
  operator: Operator,
  { owner, url, caBundle }: TemporaryPlace,
): WebhookConfigurations {
  const { mutating, validating } = webhookConfigurationsOf(operator, { namespace: `${operator.name}-system`, url });
  const names = temporaryNames(operator, owner);
  const own = <C extends Configuration>(configuration: C | undefined, name: string): C | undefined => {
    if (configuration === undefined) return undefined;
    const labels = { 'app.kubernetes.io/managed-by': 'keelson-run', 'app.kubernetes.io/name': operator.name };
    const webhooks = configuration.webhooks?.map((each) => ({ ...each, failurePolicy: 'Ignore' as const }));
    return trusting({ ...configuration, metadata: { name, labels }, webhooks }, caBundle);
  };
  return { mutating: own(mutating, names.mutating), validating: own(validating, names.validating) };
}

/** What a person's configurations of an operator are called. */
export function temporaryNames({ name }: Pick<Operator, 'name'>, owner: string) {
  return { mutating: `${name}-run-${owner}-mutating`, validating: `${name}-run-${owner}-validating` };
}
