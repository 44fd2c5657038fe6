import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Namespace, Pod } from './generated/v1.ts';
import type { Kind } from './kind.ts';
import { operator } from './operator.ts';
import { explainRules, rolesOf } from './policy-rules.ts';
import type { SettingsSchema } from './settings.ts';
import type { WebhookDeclaration } from './webhook.ts';
import { webhookConfigurationsOf } from './webhook-configurations.ts';

const place = { namespace: 'web-system' };
const both = { defaults: true, validates: true };
const ownNamespace = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['web-system'] };
const configurations = (webhook: WebhookDeclaration, at = {}) =>
  webhookConfigurationsOf(operator({ name: 'web', webhooks: [webhook] }), { ...place, ...at });

test('a webhook that is declared with nothing else is asked about CREATE and UPDATE by its Service, and fails closed', () => {
  const { mutating, validating } = configurations({ for: Pod, ...both });
  const entry = {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
        operations: ['CREATE', 'UPDATE'],
        scope: 'Namespaced',
      },
    ],
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchExpressions: [ownNamespace] },
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const service = { name: 'web-webhook', namespace: 'web-system', port: 443 };
  const typed = (kind: string) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind });
  assert.deepEqual(mutating, {
    ...typed('MutatingWebhookConfiguration'),
    metadata: { name: 'web-mutating' },
    webhooks: [{ name: 'mutate.pod.web', clientConfig: { service: { ...service, path: '/mutate/pod' } }, ...entry }],
  });
  assert.deepEqual(validating, {
    ...typed('ValidatingWebhookConfiguration'),
    metadata: { name: 'web-validating' },
    webhooks: [
      { name: 'validate.pod.web', clientConfig: { service: { ...service, path: '/validate/pod' } }, ...entry },
    ],
  });
});

test('everything that is declared is in the entry, and defaulting is never asked about DELETE', () => {
  const declared = {
    objectSelector: { matchLabels: { guarded: 'yes' } },
    matchConditions: [{ name: 'not-nodes', expression: "!('system:nodes' in request.userInfo.groups)" }],
    failurePolicy: 'Ignore',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 5,
  } as const;
  const { mutating, validating } = configurations(
    {
      ...declared,
      ...both,
      for: Namespace,
      name: 'spaces',
      operations: ['CREATE', 'DELETE'],
      reinvocationPolicy: 'IfNeeded',
      namespaceSelector: { matchLabels: { tier: 'a' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] },
    },
    { url: 'https://127.0.0.1:9443/', namespaces: ['a', 'b'] },
  );
  const [defaulting] = mutating?.webhooks ?? [];
  const [judging] = validating?.webhooks ?? [];
  for (const entry of [defaulting, judging]) {
    const { objectSelector, matchConditions, failurePolicy, sideEffects, timeoutSeconds } = entry ?? {};
    assert.deepEqual({ objectSelector, matchConditions, failurePolicy, sideEffects, timeoutSeconds }, declared);
    assert.deepEqual(entry?.namespaceSelector, {
      matchLabels: { tier: 'a' },
      matchExpressions: [
        { key: 'b', operator: 'Exists' },
        { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] },
        ownNamespace,
      ],
    });
  }
  assert.deepEqual(defaulting?.clientConfig, { url: 'https://127.0.0.1:9443/mutate/spaces' });
  assert.deepEqual(defaulting?.rules?.[0]?.operations, ['CREATE']);
  assert.equal(defaulting?.reinvocationPolicy, 'IfNeeded');
  assert.deepEqual(judging?.rules?.[0]?.operations, ['CREATE', 'DELETE']);
  assert.equal(judging?.rules?.[0]?.scope, 'Cluster');
});

test('a subresource is asked about by its own name, with what is usually done to it', () => {
  for (const [subresource, defaulting, judging] of [
    ['scale', ['UPDATE'], ['UPDATE']],
    ['status', ['UPDATE'], ['UPDATE']],
    ['eviction', ['CREATE'], ['CREATE']],
    ['exec', undefined, ['CONNECT']],
  ] as const) {
    const declared = { for: Pod, subresource, defaults: defaulting !== undefined, validates: true };
    const { mutating, validating } = configurations(declared);
    const [entry] = validating?.webhooks ?? [];
    assert.equal(entry?.name, `validate.pod-${subresource}.web`);
    assert.equal(entry?.clientConfig.service?.path, `/validate/pod-${subresource}`);
    assert.deepEqual(entry?.rules?.[0]?.resources, [`pods/${subresource}`]);
    assert.deepEqual(entry?.rules?.[0]?.operations, judging);
    assert.deepEqual(mutating?.webhooks?.[0]?.rules?.[0]?.operations, defaulting);
  }
  for (const [wrong, words] of [
    [{ operations: ['CONNECT'] }, /CONNECT is done to a subresource/],
    [{ subresource: 'pods/exec' }, /subresource must be a name such as scale, received "pods\/exec"/],
    [{ subresource: 'exec' }, /it defaults, and is asked about no CREATE and no UPDATE/],
  ] as const) {
    assert.throws(() => configurations({ for: Pod, ...both, ...wrong }), words);
  }
});

test('an operator that is called has room in its name for that of its Service', () => {
  const webhooks = [{ for: Pod, ...both }];
  const [longest, longer] = ['a'.repeat(55), 'a'.repeat(56)];
  assert.equal(operator({ name: longest, webhooks }).name, longest);
  assert.throws(
    () => operator({ name: longer, webhooks }),
    /"a{56}-webhook" is too long for the name of its Service: .* at most 55 characters/,
  );
  assert.equal(operator({ name: longer, controllers: [{ for: Pod }] }).name, longer);
});

test('a configuration without an entry is not there', () => {
  assert.equal(configurations({ for: Pod, defaults: false, validates: true }).mutating, undefined);
  assert.equal(configurations({ for: Pod, defaults: true, validates: false }).validating, undefined);
});

test('the rights of webhooks are to read what they declare, and on the very objects that hold certificates', () => {
  const converted: Kind = {
    group: 'web.example.com',
    version: 'v1',
    kind: 'Site',
    resource: 'sites',
    scope: 'Namespaced',
    conversion: { versions: ['v1', 'v2'], served: ['v1', 'v2'], convert: (object) => object },
  };
  const web = operator({
    name: 'web',
    controllers: [{ for: converted }],
    webhooks: [{ for: Pod, reads: [ConfigMap], ...both }],
    events: false,
  });
  const rules = rolesOf(web, place).map(({ namespace, rules }) => [
    namespace,
    rules.map(
      (each) => `${each.resources}${each.resourceNames ? `(${each.resourceNames})` : ''}: ${each.verbs.join(' ')}`,
    ),
  ]);
  assert.deepEqual(rules, [
    [
      undefined,
      [
        'configmaps: get list watch',
        'mutatingwebhookconfigurations(web-mutating): get list watch patch',
        'validatingwebhookconfigurations(web-validating): get list watch patch',
        'customresourcedefinitions(sites.web.example.com): get list watch patch',
        'sites: get list watch',
        'sites/status: patch',
      ],
    ],
    [
      'web-system',
      ['secrets: create', 'secrets(web-webhook-certificate): get list watch update', 'deployments(web): get'],
    ],
  ]);
  const given = rolesOf(web, { ...place, certificatesAreGiven: true });
  assert.deepEqual(
    given.map(({ namespace, rules }) => [namespace, rules.flatMap(({ resources }) => resources)]),
    [[undefined, ['configmaps', 'sites', 'sites/status']]],
    'who is given certificates needs no right to keep them',
  );
  const because = 'the operator keeps the certificates of its webhooks';
  const explained = explainRules(web).filter(({ rule }) => rule.resources[0] === 'secrets');
  assert.deepEqual(
    explained.map(({ neededBy }) => neededBy),
    [
      [{ declaration: because, verbs: ['create'] }],
      [{ declaration: because, verbs: ['get', 'list', 'watch', 'update'] }],
    ],
  );
});

test('an operator that serves nothing has no rights on certificates', () => {
  const quiet = operator({ name: 'quiet', controllers: [{ for: ConfigMap }], events: false });
  assert.deepEqual(
    rolesOf(quiet, place).flatMap(({ rules }) => rules.flatMap(({ resources }) => resources)),
    ['configmaps'],
  );
});

test('a webhook that cannot work is refused with what is wrong', () => {
  const refused = (webhook: Partial<WebhookDeclaration>, ...others: readonly WebhookDeclaration[]) => {
    const webhooks = [{ for: Pod, ...both, ...webhook }, ...others];
    return { throws: (message: RegExp) => assert.throws(() => operator({ name: 'web', webhooks }), message) };
  };
  refused({ name: 'Not A Label' }).throws(
    /^RangeError: operator web: webhook Not A Label: its name must be a DNS label/,
  );
  refused({ defaults: false, validates: false }).throws(/webhook pod: it neither defaults nor validates/);
  refused({ operations: [] }).throws(/operations must not be empty/);
  refused({ operations: ['DELETE'] }).throws(/it defaults, and is asked about no CREATE and no UPDATE/);
  refused({ timeoutSeconds: 31 }).throws(/timeoutSeconds must be a whole number from 1 to 30, received 31/);
  refused({}, { for: Pod, ...both }).throws(/two webhooks are called "pod"; give one a name/);
  const foreign = {} as SettingsSchema;
  refused({ settings: foreign }).throws(/webhook pod uses settings that are not those of the operator/);
});
