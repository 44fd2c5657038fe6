/** What is wrong with a webhook of a configuration. */
import type { MutatingWebhook, ValidatingWebhook } from '@keelson/core/admissionregistration/v1';
import {
  duplicateValue,
  invalidValue,
  type Problem,
  required,
  subdomainProblems,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, at } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { matchConditionProblems, ruleProblems } from './admission-rule-problems.ts';
import { clientConfigProblems, reviewVersionProblems } from './webhook-client-problems.ts';

type Webhook = Partial<MutatingWebhook & ValidatingWebhook>;

export function webhookProblems(configuration: ApiObject): readonly Problem[] {
  const names = new Set<string>();
  return ((at(configuration, 'webhooks') ?? []) as readonly Webhook[]).flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const { name = '', admissionReviewVersions } = webhook;
    const isRepeated = name !== '' && names.has(name);
    names.add(name);
    return [
      ...problemsOf(webhook, field),
      // Null where it is left out: the type of Go writes it always.
      ...reviewVersionProblems(admissionReviewVersions ?? [], `${field}.admissionReviewVersions`),
      ...(isRepeated ? [duplicateValue(`${field}.name`, name)] : []),
    ];
  });
}

const oneOf = (value: string | undefined, field: string, supported: readonly string[]): readonly Problem[] =>
  value === undefined || supported.includes(value) ? [] : [unsupportedValue(field, value, supported)];

const sideEffectClasses = ['None', 'NoneOnDryRun'];

function problemsOf(webhook: Webhook, field: string): readonly Problem[] {
  const { name = '', rules = [], sideEffects, timeoutSeconds = 10, clientConfig = {}, matchConditions = [] } = webhook;
  return [
    ...nameProblems(name, `${field}.name`),
    ...rules.flatMap((rule, index) => ruleProblems(rule, `${field}.rules[${index}]`)),
    ...oneOf(webhook.failurePolicy, `${field}.failurePolicy`, ['Fail', 'Ignore']),
    ...oneOf(webhook.matchPolicy, `${field}.matchPolicy`, ['Equivalent', 'Exact']),
    ...(sideEffects == null
      ? [required(`${field}.sideEffects`, `must specify one of ${sideEffectClasses.join(', ')}`)]
      : oneOf(sideEffects, `${field}.sideEffects`, sideEffectClasses)),
    ...(timeoutSeconds >= 1 && timeoutSeconds <= 30
      ? []
      : [
          invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
        ]),
    ...selectorProblems(webhook.namespaceSelector, `${field}.namespaceSelector`),
    ...selectorProblems(webhook.objectSelector, `${field}.objectSelector`),
    ...oneOf(webhook.reinvocationPolicy, `${field}.reinvocationPolicy`, ['IfNeeded', 'Never']),
    ...clientConfigProblems(clientConfig, `${field}.clientConfig`),
    ...matchConditionProblems(matchConditions, `${field}.matchConditions`),
  ];
}

function nameProblems(name: string, field: string): readonly Problem[] {
  if (name === '') return [required(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')];
}
