/** Webhook configurations, admission policies and their bindings: what they match when they do not say. */
import type { ApiObject, JsonObject } from '../../../object.ts';
import { mutatingBindingProblems, validatingBindingProblems } from './admission-binding-problems.ts';
import { mutatingPolicyProblems, validatingPolicyProblems } from './admission-policy-problems.ts';
import { change, changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { webhookProblems } from './webhook-configuration.ts';

const common: KindRules = { generation: 'content', unconditionalUpdate: false };
const everywhere = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const inAnyScope = (rule: JsonObject): JsonObject => fill(rule, { scope: '*' });

const webhooks = (defaults: JsonObject) => (configuration: ApiObject) =>
  changeEach(configuration, 'webhooks', (webhook) =>
    change(
      changeEach(
        fill(webhook, { failurePolicy: 'Fail', timeoutSeconds: 10, ...everywhere, ...defaults }),
        'rules',
        inAnyScope,
      ),
      'clientConfig',
      (config) => change(config, 'service', (service) => fill(service, { port: 443 })),
    ),
  );

const matching = (resources: JsonObject): JsonObject =>
  ['resourceRules', 'excludeResourceRules'].reduce(
    (filled, name) => changeEach(filled, name, inAnyScope),
    fill(resources, everywhere),
  );

const policy = (object: ApiObject): ApiObject =>
  change(object, 'spec', (spec) => change(fill(spec, { failurePolicy: 'Fail' }), 'matchConstraints', matching));

export const validatingWebhookConfiguration: KindRules = {
  ...common,
  default: webhooks({}),
  validate: webhookProblems,
};
export const mutatingWebhookConfiguration: KindRules = {
  ...common,
  default: webhooks({ reinvocationPolicy: 'Never' }),
  validate: webhookProblems,
};
const binding = (object: ApiObject): ApiObject =>
  change(object, 'spec', (spec) => change(spec, 'matchResources', matching));

export const validatingAdmissionPolicy: KindRules = { ...common, default: policy, validate: validatingPolicyProblems };
export const mutatingAdmissionPolicy: KindRules = { ...common, default: policy, validate: mutatingPolicyProblems };
export const validatingAdmissionPolicyBinding: KindRules = {
  ...common,
  default: binding,
  validate: validatingBindingProblems,
};
export const mutatingAdmissionPolicyBinding: KindRules = {
  ...common,
  default: binding,
  validate: mutatingBindingProblems,
};
