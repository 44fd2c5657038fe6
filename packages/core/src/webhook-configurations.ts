/**
 * Webhook configurations from declarations: one for all that default, one for all that validate.
 *
 * They never name a `caBundle`: the process that serves writes it there. Nothing in the operator's own namespace is
 * asked about, or an operator that is down could keep its own pods from starting.
 */
import type {
  MutatingWebhook,
  NewMutatingWebhookConfiguration,
  NewValidatingWebhookConfiguration,
} from './generated/admissionregistration/v1.ts';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from './generated/admissionregistration/v1.ts';
import type { Kind } from './kind.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Operator } from './operator.ts';
import type { OperatorPlace } from './policy-rules.ts';
import { operationsOf, type WebhookDeclaration, webhookName } from './webhook.ts';
import { conversionPath, webhookNames, webhookPath } from './webhook-names.ts';

/** Where an operator runs, and how the API server reaches it. */
export interface WebhookPlace extends OperatorPlace {
  /** Such as `https://127.0.0.1:9443`. @default its Service in its namespace */
  readonly url?: string | undefined;
}

/** The configurations of an operator's webhooks; those without an entry are not there. */
export interface WebhookConfigurations {
  readonly mutating: NewMutatingWebhookConfiguration | undefined;
  readonly validating: NewValidatingWebhookConfiguration | undefined;
}

/** The configurations by which the API server asks an operator. */
export function webhookConfigurationsOf(operator: Operator, place: WebhookPlace): WebhookConfigurations {
  const { webhooks = [] } = operator;
  const names = webhookNames(operator);
  const defaulting = webhooks
    .filter(({ defaults }) => defaults)
    .map((each) => ({
      ...entryOf(operator, each, 'mutate', place),
      ...(each.reinvocationPolicy && { reinvocationPolicy: each.reinvocationPolicy }),
    }));
  const validating = webhooks
    .filter(({ validates }) => validates)
    .map((each) => entryOf(operator, each, 'validate', place));
  return {
    mutating: isFilled(defaulting)
      ? { ...typeOf(MutatingWebhookConfiguration), metadata: { name: names.mutating }, webhooks: defaulting }
      : undefined,
    validating: isFilled(validating)
      ? { ...typeOf(ValidatingWebhookConfiguration), metadata: { name: names.validating }, webhooks: validating }
      : undefined,
  };
}

const isFilled = (list: readonly unknown[]) => list.length > 0;

const typeOf = <K extends string>({ kind }: { readonly kind: K }) =>
  ({ apiVersion: 'admissionregistration.k8s.io/v1', kind }) as const;

/** How the API server reaches a path of an operator's webhook server. */
function webhookClientConfig(
  operator: Pick<Operator, 'name'>,
  { namespace, url }: Pick<WebhookPlace, 'namespace' | 'url'>,
  path: string,
): MutatingWebhook['clientConfig'] {
  if (url !== undefined) return { url: `${url.replace(/\/+$/, '')}${path}` };
  return { service: { name: webhookNames(operator).service, namespace, path, port: 443 } };
}

/** The kinds of an operator whose versions it converts into each other. */
export function convertedKinds({
  controllers,
  webhooks = [],
}: Pick<Operator, 'controllers' | 'webhooks'>): readonly Kind[] {
  const kinds = [...controllers, ...webhooks].map((each) => each.for);
  return [...new Set(kinds)].filter(({ conversion }) => conversion !== undefined);
}

/** Whether the API server ever calls this operator. */
export function servesWebhooks(operator: Pick<Operator, 'controllers' | 'webhooks'>): boolean {
  return (operator.webhooks ?? []).length > 0 || convertedKinds(operator).length > 0;
}

/** Where the API server has objects of the operator's kinds converted. */
export function conversionClientConfig(operator: Pick<Operator, 'name'>, place: WebhookPlace) {
  return webhookClientConfig(operator, place, conversionPath);
}

function entryOf(
  operator: Operator,
  webhook: WebhookDeclaration,
  part: 'mutate' | 'validate',
  place: WebhookPlace,
): Omit<MutatingWebhook, 'reinvocationPolicy'> {
  const { for: kind, subresource, objectSelector, matchConditions, timeoutSeconds } = webhook;
  return {
    // What a refused user reads; the server wants three segments.
    name: `${part}.${webhookName(webhook)}.${operator.name}`,
    clientConfig: webhookClientConfig(operator, place, webhookPath(part, webhook)),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        resources: [subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`],
        operations: operationsOf(webhook, part),
        scope: kind.scope,
      },
    ],
    matchPolicy: 'Equivalent',
    namespaceSelector: namespacesOf(webhook, place),
    ...(objectSelector && { objectSelector }),
    ...(matchConditions && { matchConditions }),
    failurePolicy: webhook.failurePolicy ?? 'Fail',
    sideEffects: webhook.sideEffects ?? 'None',
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    admissionReviewVersions: ['v1'],
  };
}

const nameLabel = 'kubernetes.io/metadata.name';

function namespacesOf(
  { namespaceSelector = {} }: WebhookDeclaration,
  { namespace, namespaces }: WebhookPlace,
): LabelSelector {
  const { matchLabels, matchExpressions = [] } = namespaceSelector;
  return {
    ...(matchLabels && { matchLabels }),
    matchExpressions: [
      ...matchExpressions,
      ...(namespaces ? [{ key: nameLabel, operator: 'In' as const, values: namespaces }] : []),
      { key: nameLabel, operator: 'NotIn' as const, values: [namespace] },
    ],
  };
}
