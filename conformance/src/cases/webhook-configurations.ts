/** Configurations of webhooks: what they get when they do not say, and what is wrong with one. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import type { Trial } from '../trial.ts';
import { type HookType, rule, webhookConfigurations } from '../webhooks.ts';

const webhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1:1' },
  rules: [rule('pods')],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

const send = (t: Trial, type: HookType, ...webhooks: readonly Fields[]) =>
  t.post(webhookConfigurations[type], { metadata: { name: 'conformance' }, webhooks }, { query: { dryRun: 'All' } });

const client = (clientConfig: Fields) => ({ clientConfig });
const format = '; desired format: https://host[/path]';
const required = (field: string, detail = '') => `${field}: Required value${detail && `: ${detail}`}`;
const invalid = (field: string, value: unknown, detail: string) =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
const unsupported = (field: string, value: string, ...supported: readonly string[]) =>
  `${field}: Unsupported value: "${value}": supported values: ${supported.map((each) => `"${each}"`).join(', ')}`;
const stars = ['*', 'pods', 'pods/*', 'pods/status', '*/status', ''];

/** What replaces parts of a good webhook, and what is said of it below `webhooks[0].`. */
const wrong: readonly (readonly [Fields, ...string[]])[] = [
  [{ name: undefined }, required('name')],
  [{ name: 'a' }, invalid('name', 'a', 'should be a domain with at least three segments separated by dots')],
  [
    { rules: [{}] },
    ...['operations', 'apiGroups', 'apiVersions', 'resources'].map((each) => required(`rules[0].${each}`)),
  ],
  [
    { rules: [{ operations: ['*', 'CREATE'], apiGroups: ['*', 'a'], apiVersions: ['*', ''], resources: stars }] },
    invalid('rules[0].operations', ['*', 'CREATE'], "if '*' is present, must not specify other operations"),
    invalid('rules[0].apiGroups', ['*', 'a'], "if '*' is present, must not specify other API groups"),
    invalid('rules[0].apiVersions', ['*', ''], "if '*' is present, must not specify other API versions"),
    required('rules[0].apiVersions[1]'),
    invalid('rules[0].resources[3]', 'pods/status', "if 'pods/*' is present, must not specify pods/status"),
    required('rules[0].resources[5]'),
    invalid('rules[0].resources', stars, "if '*' is present, must not specify other resources without subresources"),
  ],
  [
    { rules: [rule('*/* *', 'GET', { scope: 'None' })] },
    unsupported('rules[0].operations[0]', 'GET', '*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'),
    invalid('rules[0].resources', ['*/*', '*'], "if '*/*' is present, must not specify other resources"),
    unsupported('rules[0].scope', 'None', '*', 'Cluster', 'Namespaced'),
  ],
  [{ sideEffects: undefined }, required('sideEffects', 'must specify one of None, NoneOnDryRun')],
  [
    { failurePolicy: 'Maybe', matchPolicy: 'Kind', sideEffects: 'Some', timeoutSeconds: 31 },
    unsupported('failurePolicy', 'Maybe', 'Fail', 'Ignore'),
    unsupported('matchPolicy', 'Kind', 'Equivalent', 'Exact'),
    unsupported('sideEffects', 'Some', 'None', 'NoneOnDryRun'),
    invalid('timeoutSeconds', 31, 'the timeout value must be between 1 and 30 seconds'),
  ],
  [{ timeoutSeconds: 0 }, invalid('timeoutSeconds', 0, 'the timeout value must be between 1 and 30 seconds')],
  [client({}), required('clientConfig', 'exactly one of url or service is required')],
  [client({ url: 'http://a' }), invalid('clientConfig.url', 'http', `'https' is the only allowed URL scheme${format}`)],
  [client({ url: 'https:///x' }), invalid('clientConfig.url', '', `host must be specified${format}`)],
  [
    client({ url: 'https://a/x?y=z#f' }),
    invalid('clientConfig.url', 'f', 'fragments are not permitted in the URL'),
    invalid('clientConfig.url', 'y=z', 'query parameters are not permitted in the URL'),
  ],
  // The real server takes the one for the other.
  [client({ service: { namespace: 'a', name: '' } }), required('clientConfig.service.namespace')],
  [
    client({ service: { namespace: 'a', name: 'b', port: 70000, path: '//' } }),
    invalid('clientConfig.service.port', 70000, 'port is not valid: must be between 1 and 65535, inclusive'),
    invalid('clientConfig.service.path', '//', 'segment[0] may not be empty'),
  ],
  [
    {
      matchConditions: [
        { name: 'a', expression: 'object.x' },
        { name: 'a', expression: ' ' },
        { expression: 'params.x' },
      ],
    },
    invalid('matchConditions[0].expression', 'object.x', 'must evaluate to bool but got dyn'),
    required('matchConditions[1].expression'),
    'matchConditions[1].name: Duplicate value: "a"',
    invalid(
      'matchConditions[2].expression',
      'params.x',
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^",
    ),
    required('matchConditions[2].name'),
  ],
  [
    { admissionReviewVersions: ['v9', 'v9'] },
    invalid('admissionReviewVersions[1]', 'v9', 'duplicate version'),
    invalid('admissionReviewVersions', ['v9', 'v9'], 'must include at least one of v1, v1beta1'),
  ],
  [{ admissionReviewVersions: [] }, required('admissionReviewVersions', 'must specify one of v1, v1beta1')],
  [{ admissionReviewVersions: undefined }, required('admissionReviewVersions', 'must specify one of v1, v1beta1')],
];

export const webhookConfigurationsArea: Area = {
  name: 'webhook configurations',
  proves: ['A1'],
  cases: {
    'what a webhook does not say is filled in': async (t) => {
      const filled = {
        ...webhook,
        rules: [{ ...rule('pods'), scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      };
      (await send(t, 'validating', webhook)).is(201, { webhooks: [filled] });
      (await send(t, 'mutating', webhook)).is(201, { webhooks: [{ ...filled, reinvocationPolicy: 'Never' }] });
      const service = { namespace: 'a', name: 'b', path: '/x/y/' };
      const answer = await send(t, 'mutating', { ...webhook, ...client({ service }) });
      answer.is(201, { webhooks: [client({ service: { ...service, port: 443 } })] });
    },
    'what is wrong with a webhook is told by its place': async (t) => {
      for (const [index, [parts, ...said]] of wrong.entries()) {
        const type = index % 2 === 0 ? 'validating' : 'mutating';
        const kind = type === 'validating' ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration';
        const each = said.map((text) => `webhooks[0].${text}`);
        const causes = each.length === 1 ? each[0] : `[${each.join(', ')}]`;
        (await send(t, type, { ...webhook, ...parts })).is(422, {
          message: `${kind}.admissionregistration.k8s.io "conformance" is invalid: ${causes}`,
        });
      }
    },
    'two webhooks of a configuration have two names': async (t) => {
      (await send(t, 'validating', webhook, webhook)).is(422, {
        message: /is invalid: webhooks\[1\].name: Duplicate value: "a.example.com"$/,
      });
    },
  },
};
