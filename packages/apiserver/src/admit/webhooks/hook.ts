/** The webhooks that configurations name, in the order in which they are asked. */
import type { MutatingWebhook, ValidatingWebhook } from '@keelson/core/admissionregistration/v1';
import { type ApiObject, at } from '../../object.ts';
import type { ObjectReader } from '../../resource/resource.ts';
import type { ClientConfig } from '../../webhooks/client-config.ts';
import type { MatchCriteria, Rule } from '../match.ts';
import { compileMatchConditions, type MatchConditions } from '../match-conditions.ts';

export interface Hook {
  readonly name: string;
  /** Tells it from others of the same name. */
  readonly id: string;
  readonly clientConfig: ClientConfig;
  readonly criteria: MatchCriteria & { readonly rules: readonly Rule[] };
  readonly conditions: MatchConditions;
  readonly failurePolicy: string;
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  /** May be asked again after others have changed the object. */
  readonly isRepeatable: boolean;
}

export type HookType = 'mutating' | 'validating';

const collections: Readonly<Record<HookType, string>> = {
  mutating: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  validating: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
};

/** Made once for each stored state of a configuration. */
const known = new WeakMap<ApiObject, readonly Hook[]>();

/** Configurations by name, and each one's webhooks as it lists them. */
export function hooksOf(objects: ObjectReader, type: HookType): readonly Hook[] {
  const hooks: Hook[] = [];
  for (const configuration of objects.list(collections[type])) {
    let own = known.get(configuration);
    if (own === undefined) {
      own = hooksIn(configuration);
      known.set(configuration, own);
    }
    hooks.push(...own);
  }
  return hooks;
}

function hooksIn(configuration: ApiObject): readonly Hook[] {
  const webhooks = (at(configuration, 'webhooks') ?? []) as readonly (MutatingWebhook & ValidatingWebhook)[];
  return webhooks.map((webhook, index) => ({
    name: webhook.name,
    id: `${configuration.metadata.name}/${webhook.name}/${index}`,
    clientConfig: webhook.clientConfig,
    criteria: {
      rules: webhook.rules ?? [],
      matchPolicy: webhook.matchPolicy,
      namespaceSelector: webhook.namespaceSelector,
      objectSelector: webhook.objectSelector,
    },
    conditions: compileMatchConditions(webhook.matchConditions ?? []),
    failurePolicy: webhook.failurePolicy ?? 'Fail',
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    reviewVersions: webhook.admissionReviewVersions,
    isRepeatable: webhook.reinvocationPolicy === 'IfNeeded',
  }));
}
