/**
 * Webhooks as a ClusterServiceVersion has them: OLM makes the Service, the certificate and the configurations of them.
 *
 * It knows fewer fields than Kubernetes. What it leaves out is told, since the webhook is then asked about more.
 */
import { conversionPath, convertedKinds, resourceNameOf, webhookConfigurationsOf } from '@keelson/core';
import type { MutatingWebhook } from '@keelson/core/admissionregistration/v1';
import type { Installation } from '../installation.ts';

/** The definitions, and what they cannot say. */
export interface WebhookDefinitions {
  readonly definitions: readonly object[];
  readonly warnings: readonly string[];
}

/** Of the webhooks that are asked before something is stored, and of the one that converts. */
export function webhookDefinitions(installation: Installation): WebhookDefinitions {
  const { operator, process, name, namespace } = installation;
  if (process.webhooks === undefined) return { definitions: [], warnings: [] };
  const place = { admissionReviewVersions: ['v1'], containerPort: 443, targetPort: process.webhooks.port };
  const common = { ...place, deploymentName: name };
  const { mutating, validating } = webhookConfigurationsOf(operator, { namespace });
  const entries: readonly (readonly [string, MutatingWebhook])[] = [
    ...(mutating?.webhooks ?? []).map((each) => ['MutatingAdmissionWebhook', each] as const),
    ...(validating?.webhooks ?? []).map((each) => ['ValidatingAdmissionWebhook', each] as const),
  ];
  const admission = entries.map(([type, each]) => ({
    type,
    generateName: each.name,
    ...common,
    webhookPath: each.clientConfig.service?.path,
    rules: each.rules,
    failurePolicy: each.failurePolicy,
    matchPolicy: each.matchPolicy,
    ...(each.objectSelector && { objectSelector: each.objectSelector }),
    ...(each.reinvocationPolicy && { reinvocationPolicy: each.reinvocationPolicy }),
    sideEffects: each.sideEffects,
    ...(each.timeoutSeconds !== undefined && { timeoutSeconds: each.timeoutSeconds }),
  }));
  const converted = convertedKinds(operator).map(resourceNameOf);
  const conversion = {
    type: 'ConversionWebhook',
    generateName: `convert.${name}`,
    ...common,
    webhookPath: conversionPath,
    sideEffects: 'None',
    conversionCRDs: converted,
  };
  return {
    definitions: [...admission, ...(converted.length > 0 ? [conversion] : [])],
    warnings: (operator.webhooks ?? []).flatMap(({ for: { kind }, matchConditions, namespaceSelector }) =>
      [matchConditions && 'matchConditions', namespaceSelector && 'namespaceSelector']
        .filter((field) => field !== undefined)
        .map((field) => `OLM has no ${field}: the webhook of ${kind} is asked whatever they say`),
    ),
  };
}
