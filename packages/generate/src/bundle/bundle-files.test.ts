import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, type Operator, operator, optional, watch, webhookPath } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Node, Pod, Secret } from '@keelson/core/v1';
import { conditions, defineKind } from '@keelson/schema';
import { parse } from 'yaml';
import { z } from 'zod';
import { generateFiles } from '../generate-files.ts';
import { isGenerated } from '../generated-file.ts';
import type { BundleOptions } from './bundle.ts';
import { bundleFiles } from './bundle-files.ts';
import type { BundleWords } from './words.ts';

const Site = defineKind({
  group: 'web.example.com',
  kind: 'WebSite',
  description: 'WebSite is a site.',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        host: z.string().describe('Its name.'),
        replicas: z.int32().min(1).default(2),
        isOpen: z.boolean().optional(),
        mode: z.enum(['fast', 'safe']).optional(),
        storage: z.object({ className: z.string(), sizeGi: z.int32() }).optional(),
        routes: z.array(z.object({ to: z.string() })).optional(),
      }),
      status: z.object({ replicas: z.int32(), phase: z.string(), conditions: conditions('Ready') }),
      subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    },
  },
});
const other = defineKind({
  group: 'other.example.org',
  kind: 'Certificate',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({}) } },
});
const controllers = [{ for: Site, owns: [Deployment], needs: [allow(Secret, 'get'), allow(Node, 'get')] }];
const plain = operator({ name: 'site-operator', controllers });
const words: BundleWords = {
  displayName: 'Sites',
  description: 'Runs sites.',
  provider: { name: 'Example' },
  maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
};
const sample = { apiVersion: 'web.example.com/v1', kind: 'WebSite', metadata: { name: 'a' }, spec: { host: 'a' } };
const kinds = [Site];

const bundle = (of: Operator, options: Partial<BundleOptions> = {}) =>
  bundleFiles(of, { words, version: '1.0.0', kinds, ...options });
// biome-ignore lint/suspicious/noExplicitAny: a manifest is looked into here and there
const object = (path: string, ...args: Parameters<typeof bundle>): any => {
  const file = bundle(...args).find((each) => each.path === `bundle/${path}`);
  assert.ok(file, `${path} is not made`);
  return parse(file.text);
};
const csv = (...args: Parameters<typeof bundle>) =>
  object('manifests/site-operator.clusterserviceversion.yaml', ...args);

test('a bundle has the definitions, the roles of users and what is installed beside the Deployment', () => {
  const led = operator({ name: 'site-operator', controllers, leaderElection: true, secureMetrics: true });
  const files = bundle(led);
  assert.deepEqual(
    files.map(({ path }) => path.slice('bundle/'.length)),
    [
      'Dockerfile',
      'manifests/metrics_reader_role.yaml',
      'manifests/metrics_service.yaml',
      'manifests/pod_disruption_budget.yaml',
      'manifests/site-operator.clusterserviceversion.yaml',
      'manifests/web.example.com_websites.yaml',
      'manifests/web.example.com_websites_admin_role.yaml',
      'manifests/web.example.com_websites_editor_role.yaml',
      'manifests/web.example.com_websites_viewer_role.yaml',
      'metadata/annotations.yaml',
    ],
  );
  for (const { path, text } of files) assert.ok(isGenerated(text), path);
  assert.deepEqual(bundle(led), files);
  for (const { text } of files) assert.doesNotMatch(text, /^ {2}namespace:/m, 'OLM puts it where it wants');
});

test('the pods, the rights and the definition are those of config/', () => {
  const config = (path: string) =>
    parse(generateFiles(plain, { version: '1.0.0', kinds }).find((each) => each.path === path)?.text ?? '');
  const { install, version } = csv(plain, { samples: [sample] }).spec;
  assert.equal(version, '1.0.0');
  const [deployment] = install.spec.deployments;
  const { metadata, spec } = config('config/manager/deployment.yaml');
  assert.deepEqual([deployment.name, deployment.label], [metadata.name, metadata.labels]);
  const [{ env, ...container }] = deployment.spec.template.spec.containers;
  assert.deepEqual([container], spec.template.spec.containers);
  assert.deepEqual(env, [
    {
      name: 'WATCH_NAMESPACE',
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
    },
  ]);
  assert.deepEqual(
    object('manifests/web.example.com_websites.yaml', plain),
    config('config/crd/bases/web.example.com_websites.yaml'),
  );
  const { permissions, clusterPermissions } = install.spec;
  assert.deepEqual(
    [...permissions, ...clusterPermissions].map(({ serviceAccountName, rules }) => [
      serviceAccountName,
      rules.flatMap(({ resources }: { resources: string[] }) => resources),
    ]),
    [
      ['site-operator', ['secrets', 'deployments', 'events', 'websites', 'websites/finalizers', 'websites/status']],
      ['site-operator', ['nodes']],
    ],
    'what is done in namespaces is granted in those that the OperatorGroup names',
  );
});

test('an operator that always watches all namespaces has its rights everywhere, and only that install mode', () => {
  const process = {
    args: [],
    env: [],
    health: { port: 1, livenessPath: '/', readinessPath: '/' },
    gracePeriodSeconds: 1,
  };
  const { install, installModes } = csv(operator({ name: 'site-operator', controllers, process })).spec;
  assert.deepEqual(
    installModes.map(({ type, supported }: { type: string; supported: boolean }) => `${type} ${supported}`),
    ['OwnNamespace false', 'SingleNamespace false', 'MultiNamespace false', 'AllNamespaces true'],
  );
  assert.equal(install.spec.permissions, undefined);
  assert.equal(install.spec.clusterPermissions.length, 1);
  assert.equal(install.spec.deployments[0].spec.template.spec.containers[0].env, undefined);
});

test('descriptors follow from the schema: one for each field, with the widget that fits its type', () => {
  const [owned] = csv(plain).spec.customresourcedefinitions.owned;
  assert.deepEqual([owned.name, owned.version, owned.kind], ['websites.web.example.com', 'v1', 'WebSite']);
  assert.deepEqual([owned.displayName, owned.description], ['Web Site', 'WebSite is a site.']);
  assert.deepEqual(owned.resources, [{ kind: 'Deployment', name: '', version: 'v1' }]);
  const told = (list: { path: string; displayName: string; 'x-descriptors'?: string[] }[]) =>
    list.map((each) => [each.path, each.displayName, ...(each['x-descriptors'] ?? [])].join(' '));
  const ui = 'urn:alm:descriptor:com.tectonic.ui';
  assert.deepEqual(told(owned.specDescriptors), [
    `host Host ${ui}:text`,
    `replicas Replicas ${ui}:podCount`,
    `isOpen Is Open ${ui}:booleanSwitch`,
    `mode Mode ${ui}:select:fast ${ui}:select:safe`,
    'storage Storage',
    `storage.className Class Name ${ui}:text`,
    `storage.sizeGi Size Gi ${ui}:number`,
    'routes Routes',
  ]);
  assert.equal(owned.specDescriptors[0].description, 'Its name.');
  assert.deepEqual(told(owned.statusDescriptors), [
    `replicas Replicas ${ui}:text`,
    'phase Phase urn:alm:descriptor:io.kubernetes.phase',
    'conditions Conditions urn:alm:descriptor:io.kubernetes.conditions',
    `observedGeneration Observed Generation ${ui}:text`,
  ]);
});

test('examples are the samples of its own kinds, and nothing else', () => {
  const foreign = [{ apiVersion: 'v1', kind: 'Secret' }, { ...sample, apiVersion: 'web.example.com/v2' }, null];
  const { 'alm-examples': text } = csv(plain, { samples: [sample, ...foreign] }).metadata.annotations;
  assert.deepEqual(JSON.parse(text), [sample]);
});

test('webhooks are left to OLM: its Service, its certificates, no right to keep ours', () => {
  const webhook = { for: Site, defaults: true, validates: true };
  const asked = operator({ name: 'site-operator', controllers, webhooks: [webhook] });
  const { webhookdefinitions, install } = csv(asked).spec;
  assert.deepEqual(
    webhookdefinitions.map(({ type, webhookPath }: Record<string, unknown>) => [type, webhookPath]),
    [
      ['MutatingAdmissionWebhook', webhookPath('mutate', webhook)],
      ['ValidatingAdmissionWebhook', webhookPath('validate', webhook)],
    ],
  );
  const [{ containerPort, targetPort, deploymentName, failurePolicy }] = webhookdefinitions;
  assert.deepEqual([containerPort, targetPort, deploymentName, failurePolicy], [443, 9443, 'site-operator', 'Fail']);
  assert.doesNotMatch(JSON.stringify(install), /webhookconfigurations|webhook-certificate/);
  assert.ok(!bundle(asked).some(({ path }) => /webhook/.test(path)), 'OLM makes the Service');
});

test('what OLM cannot be told is told as a warning', () => {
  const matchConditions = [{ name: 'a', expression: 'true' }];
  const limited = operator({
    name: 'site-operator',
    controllers: [{ for: Site, watches: [watch(ConfigMap, { namespaces: ['kube-system'], to: () => [] })] }],
    webhooks: [{ for: Pod, defaults: false, validates: true, matchConditions }],
  });
  const warnings = bundle(limited).flatMap(({ warning }) => warning ?? []);
  assert.match(warnings.join(), /no matchConditions: the webhook of Pod .*nothing in kube-system alone/);
  const { clusterPermissions } = csv(limited).spec.install.spec;
  assert.match(JSON.stringify(clusterPermissions), /"configmaps"/);
});

test('where versions are converted, OLM converts by the operator and installs it for all namespaces', () => {
  const Both = defineKind({
    group: 'web.example.com',
    kind: 'Both',
    hub: 'v1',
    conversions: { v0: {} },
    versions: {
      v0: { spec: z.object({ count: z.int32().optional() }) },
      v1: { storage: true, spec: z.object({ count: z.int32().optional() }) },
    },
  });
  const converting = operator({ name: 'site-operator', controllers: [{ for: Both }] });
  const { webhookdefinitions, installModes, customresourcedefinitions } = csv(converting, { kinds: [Both] }).spec;
  assert.deepEqual(
    webhookdefinitions.map(({ type, conversionCRDs }: Record<string, unknown>) => [type, conversionCRDs]),
    [['ConversionWebhook', ['boths.web.example.com']]],
  );
  assert.deepEqual(
    installModes.map(({ supported }: { supported: boolean }) => supported),
    [false, false, false, true],
  );
  assert.deepEqual(
    customresourcedefinitions.owned.map(({ version }: { version: string }) => version),
    ['v0', 'v1'],
  );
});

test('kinds of others are required of OLM, unless the operator works without them', () => {
  const using = (kind: typeof other) =>
    csv(operator({ name: 'site-operator', controllers: [{ for: Site, owns: [kind] }] })).spec.customresourcedefinitions;
  assert.equal(using(other).required[0].name, 'certificates.other.example.org');
  assert.equal(using(optional(other)).required, undefined);
});

test('channels, and what a version replaces, come from the options, then from the words', () => {
  const said = { ...words, channels: ['fast', 'stable'], replaces: 'site-operator.v0.9.0' };
  const annotations = (options: Partial<BundleOptions>) =>
    Object.values(object('metadata/annotations.yaml', plain, options).annotations).slice(-3);
  assert.deepEqual(annotations({}), ['site-operator', 'stable', 'stable']);
  assert.deepEqual(annotations({ words: said, defaultChannel: 'stable' }), ['site-operator', 'fast,stable', 'stable']);
  assert.equal(csv(plain, { words: said }).spec.replaces, 'site-operator.v0.9.0');
  assert.equal(csv(plain, { words: said, replaces: '0.8.0' }).spec.replaces, 'site-operator.v0.8.0');
  const skips = ['0.7.0', 'site-operator.v0.6.0'];
  assert.deepEqual(csv(plain, { words: { ...words, skips } }).spec.skips, [
    'site-operator.v0.7.0',
    'site-operator.v0.6.0',
  ]);
  assert.match(
    bundle(plain).find(({ path }) => path.endsWith('Dockerfile'))?.text ?? '',
    /^LABEL operators\.operatorframework\.io\.bundle\.package\.v1=site-operator$/m,
  );
});

const refused: readonly (readonly [string, Partial<BundleOptions>, RegExp])[] = [
  ['no version', { version: undefined }, /is 0\.0\.1 or more, not ""; give one such as 1\.0\.0 by --version/],
  ['a version that is none', { version: '1.0' }, /not "1\.0"/],
  ['the version that OLM takes for none', { version: '0.0.0' }, /not "0\.0\.0"/],
  [
    'a default channel that is none of its channels',
    { defaultChannel: 'fast' },
    /"fast" is none of its channels \(stable\); take one of these, or add it/,
  ],
  ['a channel that cannot be', { channels: ['a b'] }, /"a b" is no name of a channel; take letters/],
  ['no channel', { channels: [''] }, /"" is no name of a channel/],
  ['a version that replaces itself', { replaces: '1.0.0' }, /"1\.0\.0" cannot replace itself; name the version before/],
  [
    'a version that skips itself',
    { words: { ...words, skips: ['site-operator.v1.0.0'] } },
    /"1\.0\.0" cannot replace itself/,
  ],
  [
    'a version that replaces a newer one',
    { replaces: '1.0.1' },
    /"1\.0\.0" is not newer than "1\.0\.1", which it replaces; OLM only goes forward/,
  ],
  [
    'a version that replaces a newer one by name',
    { version: '1.0.0-rc.1', replaces: 'site-operator.v1.0.0' },
    /"1\.0\.0-rc\.1" is not newer than "1\.0\.0"/,
  ],
  ['a name that cannot be', { replaces: 'A_b' }, /"A_b" is no name of a ClusterServiceVersion; give a version/],
  ['a skipped name that cannot be', { words: { ...words, skips: ['A_b'] } }, /"A_b" is no name/],
  ['a range that is none', { words: { ...words, skipRange: '<1.0' } }, /skipRange is "<1\.0"; write versions/],
];
for (const [what, options, message] of refused) {
  test(`${what} is refused`, () => assert.throws(() => bundle(plain, options), { name: 'RangeError', message }));
}
