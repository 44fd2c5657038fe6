import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionPoliciesOf, allow, type Operator, operator, rulesOf, webhookConfigurationsOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Secret } from '@keelson/core/v1';
import { conditions, defineKind } from '@keelson/schema';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { generateFiles } from './generate-files.ts';
import { isGenerated } from './generated-file.ts';
import type { GenerateOptions } from './installation.ts';

const Site = defineKind({
  group: 'web.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ host: z.string().describe('Its name.'), replicas: z.int32().min(1).default(2) }),
      status: z.object({ replicas: z.int32(), conditions: conditions('Ready') }),
      subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    },
  },
});
const controllers = [{ for: Site, owns: [Deployment], needs: [allow(Secret, 'get')] }];
const plain = operator({ name: 'site-operator', controllers });
const led = operator({ name: 'site-operator', controllers, leaderElection: true, secureMetrics: true });

type Json = Readonly<Record<string, unknown>> & { readonly kind: string; readonly metadata: { readonly name: string } };

const textOf = (path: string, of: Operator, options: GenerateOptions = {}): string => {
  const file = generateFiles(of, options).find((each) => each.path === path);
  assert.ok(file, `${path} is not made`);
  return file.text;
};
const objectsIn = (text: string): readonly Json[] => parseAllDocuments(text).map((document) => document.toJS() as Json);
// biome-ignore lint/suspicious/noExplicitAny: a manifest is looked into here and there
const object = (...args: Parameters<typeof textOf>): any => objectsIn(textOf(...args))[0];
const pathsOf = (of: Operator) => generateFiles(of).map(({ path }) => path);

test('the same values give the same bytes, in the order of the paths, each path once', () => {
  const files = generateFiles(led);
  assert.deepEqual(generateFiles(led), files);
  const paths = files.map(({ path }) => path);
  assert.deepEqual([...new Set(paths)].sort(), paths);
});

test('generated files say so in their first line, those of the user do not', () => {
  for (const { path, text, owner } of generateFiles(led)) assert.equal(isGenerated(text), owner === 'generated', path);
  for (const { path, text, owner } of generateFiles(led)) {
    assert.equal(isGenerated(text.replaceAll('\n', '\r\n')), owner === 'generated', `${path} on Windows`);
  }
  const users = generateFiles(led).filter(({ owner }) => owner === 'user');
  assert.deepEqual(
    users.map(({ path }) => path),
    ['config/default/kustomization.yaml', 'config/samples/web_v1_site.yaml'],
  );
});

test('the roles of the operator are what its declarations need, each rule once', () => {
  const roleFiles = generateFiles(led).filter(({ path }) =>
    /rbac\/(role|leader_\w+_role|metrics_auth_role)\.yaml/.test(path),
  );
  const rules = roleFiles.flatMap(({ text }) => objectsIn(text)).flatMap((role) => role.rules as readonly object[]);
  const sorted = (list: readonly object[]) => list.map((rule) => JSON.stringify(rule)).sort();
  assert.deepEqual(sorted(rules), sorted(rulesOf(led)));
  const lease = object('config/rbac/leader_election_role.yaml', led, { namespace: 'sites' });
  assert.deepEqual([lease.kind, lease.metadata.namespace], ['Role', 'sites']);
  assert.equal(object('config/rbac/metrics_auth_role.yaml', led).kind, 'ClusterRole');
  assert.deepEqual(
    pathsOf(plain).filter((path) => /leader|metrics_/.test(path)),
    ['config/manager/metrics_service.yaml'],
  );
});

test('an operator of some namespaces has a Role in each and is told which they are', () => {
  const namespaces = ['blue', 'green'];
  const roles = objectsIn(textOf('config/rbac/role.yaml', plain, { namespaces }));
  assert.deepEqual(
    roles.map(({ kind, metadata }) => `${kind} ${(metadata as { namespace?: string }).namespace}`),
    ['Role blue', 'Role green'],
  );
  const bindings = objectsIn(textOf('config/rbac/role_binding.yaml', plain, { namespaces, namespace: 'sites' }));
  for (const { subjects } of bindings) {
    assert.deepEqual(subjects, [{ kind: 'ServiceAccount', name: 'site-operator', namespace: 'sites' }]);
  }
  const { containers } = object('config/manager/deployment.yaml', plain, { namespaces }).spec.template.spec;
  assert.deepEqual(containers[0].env, [{ name: 'WATCH_NAMESPACE', value: 'blue,green' }]);
});

test('replicas that elect a leader are two, with a budget; one that does not is alone', () => {
  const two = object('config/manager/deployment.yaml', led).spec;
  assert.equal(two.replicas, 2);
  assert.deepEqual(two.template.spec.containers[0].args, ['--leader-elect']);
  assert.ok(pathsOf(led).includes('config/manager/pod_disruption_budget.yaml'));
  const one = object('config/manager/deployment.yaml', plain).spec;
  assert.deepEqual([one.replicas, one.strategy], [1, { type: 'Recreate' }]);
  assert.ok(!pathsOf(plain).includes('config/manager/pod_disruption_budget.yaml'));
});

test('ports, paths, variables and the time to stop are those that the operator declares of its process', () => {
  const env = [{ name: 'ELECT', value: 'true' }];
  const health = { port: 9001, livenessPath: '/live', readinessPath: '/ready' };
  const process = { args: ['serve'], env, health, metrics: { port: 9002, path: '/m' }, gracePeriodSeconds: 60 };
  const own = { ...led, process };
  const { spec } = object('config/manager/deployment.yaml', own).spec.template;
  const [container] = spec.containers;
  assert.deepEqual([container.args, container.env], [['serve'], env]);
  assert.deepEqual(container.ports, [
    { name: 'health', containerPort: 9001 },
    { name: 'metrics', containerPort: 9002 },
  ]);
  assert.deepEqual([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path], ['/live', '/ready']);
  assert.ok(spec.terminationGracePeriodSeconds > 60);
  assert.equal(object('config/manager/metrics_service.yaml', own).spec.ports[0].port, 9002);
  assert.equal(object('config/network-policy/network_policy.yaml', own).spec.ingress[0].ports[0].port, 9002);
  assert.equal(object('config/prometheus/service_monitor.yaml', own).spec.endpoints[0].path, '/m');
  assert.deepEqual(object('config/rbac/metrics_reader_role.yaml', own).rules[0].nonResourceURLs, ['/m']);
  assert.throws(() => generateFiles(own, { namespaces: ['a'] }), /it always watches all namespaces/);
  const silent = { ...led, process: { ...process, metrics: undefined } };
  assert.deepEqual(
    pathsOf(silent).filter((path) => /metrics_service|prometheus/.test(path)),
    [],
  );
  assert.equal(object('config/network-policy/network_policy.yaml', silent).spec.ingress, undefined);
});

test('webhooks have a Service, configurations without any caBundle, a port in the pod and a way through the policy', () => {
  const webhooks = [{ for: Site, defaults: true, validates: true }];
  const asked = operator({ name: 'site-operator', controllers, webhooks });
  const service = object('config/webhook/service.yaml', asked, { namespace: 'sites' });
  assert.deepEqual([service.metadata.name, service.metadata.namespace], ['site-operator-webhook', 'sites']);
  assert.deepEqual(service.spec.ports, [{ name: 'webhook', port: 443, targetPort: 'webhook' }]);
  const pod = object('config/manager/deployment.yaml', asked).spec.template;
  assert.deepEqual(pod.spec.containers[0].ports.at(-1), { name: 'webhook', containerPort: 9443 });
  assert.deepEqual(Object.entries(service.spec.selector), Object.entries(pod.metadata.labels));
  const place = { namespace: 'sites', namespaces: ['a'] };
  const configurations = webhookConfigurationsOf(asked, place);
  for (const [part, expected] of Object.entries(configurations)) {
    const labels = { 'app.kubernetes.io/name': 'site-operator' };
    const made = object(`config/webhook/${part}.yaml`, asked, place);
    assert.deepEqual(made, { ...expected, metadata: { ...expected.metadata, labels } });
  }
  const { ingress } = object('config/network-policy/network_policy.yaml', asked).spec;
  assert.deepEqual(ingress.at(-1), { ports: [{ protocol: 'TCP', port: 9443 }] });
  const { resources } = parse(textOf('config/webhook/kustomization.yaml', asked));
  assert.deepEqual(resources, ['service.yaml', 'mutating.yaml', 'validating.yaml']);
  assert.ok(parse(textOf('config/manager/kustomization.yaml', asked)).resources.includes('../webhook'));
  assert.equal(textOf('config/default/kustomization.yaml', asked), textOf('config/default/kustomization.yaml', plain));
  const installed = objectsIn(textOf('dist/install.yaml', asked)).map(({ kind }) => kind);
  assert.ok(installed.includes('MutatingWebhookConfiguration') && installed.includes('ValidatingWebhookConfiguration'));
  assert.deepEqual(
    pathsOf(plain).filter((path) => path.includes('webhook')),
    [],
  );
  for (const { path, text } of generateFiles(asked)) assert.doesNotMatch(text, /caBundle/, path);
});

test('policies have a file each, with the binding, and come with the manager', () => {
  const validations = [{ expression: "request.userInfo.username != 'jane'" }];
  const policies = [{ name: 'visitors', for: Site, operations: ['DELETE' as const], validations }];
  const judging = operator({ name: 'site-operator', controllers, policies });
  const path = 'config/admission/site-operator-visitors.yaml';
  const [policy, binding] = objectsIn(textOf(path, judging));
  const labels = { 'app.kubernetes.io/name': 'site-operator' };
  const [expected] = admissionPoliciesOf(judging);
  const named = { name: 'site-operator-visitors', labels };
  assert.deepEqual(
    [policy, binding],
    [
      { ...expected?.policy, metadata: named },
      { ...expected?.binding, metadata: named },
    ],
  );
  assert.ok(parse(textOf('config/manager/kustomization.yaml', judging)).resources.includes('../admission'));
  assert.equal(
    textOf('config/default/kustomization.yaml', judging),
    textOf('config/default/kustomization.yaml', plain),
  );
  const installed = objectsIn(textOf('dist/install.yaml', judging)).map(({ kind }) => kind);
  assert.ok(installed.includes('ValidatingAdmissionPolicyBinding'));
});

test('a kind whose versions are converted says where, and has a Service for it without any webhook', () => {
  const spec = z.object({ host: z.string() });
  const Converted = defineKind({
    group: 'web.example.com',
    kind: 'Converted',
    hub: 'v2',
    versions: { v1: { spec }, v2: { storage: true, spec: z.object({ name: z.string() }) } },
    conversions: {
      v1: {
        toHub: ({ spec: { host } }) => ({ spec: { name: host } }),
        fromHub: ({ spec: { name } }) => ({ spec: { host: name } }),
      },
    },
  });
  const converting = operator({ name: 'site-operator', controllers: [{ for: Converted }] });
  const { conversion } = object('config/crd/bases/web.example.com_converteds.yaml', converting, {
    namespace: 'sites',
  }).spec;
  const service = { name: 'site-operator-webhook', namespace: 'sites', path: '/convert', port: 443 };
  assert.deepEqual(conversion, {
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
  });
  assert.deepEqual(
    pathsOf(converting).filter((path) => path.includes('config/webhook')),
    ['config/webhook/kustomization.yaml', 'config/webhook/service.yaml'],
  );
});

test('an operator of webhooks alone brings the definitions of their kinds', () => {
  const alone = operator({ name: 'judge', webhooks: [{ for: Site, defaults: false, validates: true }] });
  assert.deepEqual(
    pathsOf(alone).filter((path) => /crd\/bases|config\/webhook/.test(path)),
    [
      'config/crd/bases/web.example.com_sites.yaml',
      'config/webhook/kustomization.yaml',
      'config/webhook/service.yaml',
      'config/webhook/validating.yaml',
    ],
  );
  const name = `a${'b'.repeat(55)}`;
  assert.throws(
    () => generateFiles({ ...alone, name, process: undefined }),
    /-(metrics|webhook)" is no name of a Service/,
  );
});

test('secure metrics are scraped with a token over TLS', () => {
  assert.equal(object('config/prometheus/service_monitor.yaml', led).spec.endpoints[0].scheme, 'https');
  assert.equal(object('config/prometheus/service_monitor.yaml', plain).spec.endpoints[0].scheme, undefined);
});

test('users get three roles for each kind, which join the built-in ones where the kind is in namespaces', () => {
  const role = (level: string, of: Operator = plain) =>
    object(`config/rbac/web.example.com_sites_${level}_role.yaml`, of);
  const join = 'rbac.authorization.k8s.io/aggregate-to-';
  for (const [level, built] of [
    ['viewer', 'view'],
    ['editor', 'edit'],
    ['admin', 'admin'],
  ] as const) {
    assert.equal(role(level).metadata.labels[`${join}${built}`], 'true');
  }
  assert.deepEqual(role('viewer').rules[0].verbs, ['get', 'list', 'watch']);
  assert.ok(role('editor').rules[0].verbs.includes('patch') && !role('viewer').rules[0].verbs.includes('patch'));
  assert.deepEqual(role('editor').rules.slice(1), [
    { apiGroups: ['web.example.com'], resources: ['sites/status'], verbs: ['get'] },
    { apiGroups: ['web.example.com'], resources: ['sites/scale'], verbs: ['get', 'update', 'patch'] },
  ]);
  const Zone = defineKind({ ...Site.definition, scope: 'Cluster' });
  const labels = role('editor', operator({ name: 'zones', controllers: [{ for: Zone }] })).metadata.labels;
  assert.ok(!Object.keys(labels).some((label) => label.startsWith(join)));
});

test('one file has everything that can be installed anywhere, what others need first', () => {
  const kinds = objectsIn(textOf('dist/install.yaml', led)).map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(0, 2).sort(), ['CustomResourceDefinition', 'Namespace']);
  assert.ok(kinds.includes('Deployment') && !kinds.includes('ServiceMonitor'));
  const inFolders = generateFiles(led).filter(({ path }) => /^config\/(crd|rbac|manager|network)/.test(path));
  const objects = inFolders
    .filter(({ path }) => !path.endsWith('kustomization.yaml'))
    .flatMap(({ text }) => objectsIn(text));
  assert.equal(kinds.length, objects.length);
});

test('each kustomization names the files beside it, all of them and no others', () => {
  const paths = pathsOf(led);
  for (const folder of ['crd', 'rbac', 'manager', 'network-policy', 'prometheus']) {
    const { resources, configMapGenerator = [] } = object(`config/${folder}/kustomization.yaml`, led) as {
      resources: readonly string[];
      configMapGenerator?: readonly { files: readonly string[] }[];
    };
    const used = [...resources, ...configMapGenerator.flatMap(({ files }) => files)];
    const beside = paths.filter((path) => path.startsWith(`config/${folder}/`) && !path.endsWith('kustomization.yaml'));
    assert.deepEqual(used.map((each) => `config/${folder}/${each}`).sort(), beside);
  }
  const { resources } = parse(textOf('config/default/kustomization.yaml', led)) as { resources: readonly string[] };
  assert.deepEqual(resources, ['../crd', '../rbac', '../manager', '../network-policy']);
});

test('kinds of one name in groups that begin alike have a sample each; the same kind twice is refused', () => {
  const [Inner, Outer] = ['web.inner.example', 'web.outer.example'].map((group) =>
    defineKind({ ...Site.definition, group }),
  );
  assert.ok(Inner && Outer);
  const Other = defineKind({ ...Site.definition, kind: 'Other' });
  const samples = (kinds: GenerateOptions['kinds']) =>
    generateFiles(plain, { kinds }).flatMap(({ path }) => (path.includes('/samples/') ? [path.slice(15)] : []));
  assert.deepEqual(samples([Inner, Outer, Other]), [
    'web.inner.example_v1_site.yaml',
    'web.outer.example_v1_site.yaml',
    'web_v1_other.yaml',
  ]);
  assert.throws(() => generateFiles(plain, { kinds: [Site, defineKind(Site.definition)] }), {
    name: 'TypeError',
    message: 'site-operator: two kinds would share config/crd/bases/web.example.com_sites.yaml',
  });
});

test('samples of two versions are two objects, since the folder is applied at once', () => {
  const Both = defineKind({
    group: 'web.example.com',
    kind: 'Both',
    hub: 'v1',
    versions: {
      v1: { storage: true, spec: z.object({ host: z.string() }), status: z.object({}) },
      v2: { spec: z.object({ host: z.string() }), status: z.object({}) },
    },
    conversions: { v2: {} },
  });
  const both = { kinds: [Both] };
  const nameOf = (version: string) => object(`config/samples/web_${version}_both.yaml`, plain, both).metadata.name;
  assert.deepEqual(['v1', 'v2'].map(nameOf), ['both-sample-v1', 'both-sample-v2']);
});

test('an operator of built-in kinds alone has neither definitions nor samples nor a reference, but their place', () => {
  const copier = operator({ name: 'copier', controllers: [{ for: Secret }] });
  assert.deepEqual(
    pathsOf(copier).filter((path) => /crd|samples|docs/.test(path)),
    ['config/crd/kustomization.yaml'],
  );
  assert.deepEqual(object('config/crd/kustomization.yaml', copier).resources, []);
  // This file is the user's: it must be the same when the first kind comes.
  const path = 'config/default/kustomization.yaml';
  assert.equal(textOf(path, copier), textOf(path, plain));
});

test('settings are a ConfigMap of variables with their meaning, which belongs to the user', () => {
  const settings = z.object({
    dnsServer: z.string().describe('Where records are made.'),
    interval: z.int().default(60),
    mode: z.enum(['fast', 'safe']).default('safe'),
  });
  const set = operator({ name: 'dns', controllers: [{ for: Site, settings }], settings });
  const file = generateFiles(set).find(({ path }) => path === 'config/manager/settings.yaml');
  assert.equal(file?.owner, 'user');
  assert.ok(
    file?.text.endsWith(`data:
  # Where records are made.
  # It is required: without it the operator does not start.
  # DNS_DNS_SERVER: ''
  DNS_INTERVAL: '60'
  # One of fast, safe.
  DNS_MODE: safe
`),
    file?.text,
  );
  const [{ envFrom }] = object('config/manager/deployment.yaml', set).spec.template.spec.containers;
  assert.deepEqual(envFrom, [{ configMapRef: { name: 'dns-settings' } }]);
  const given = textOf('config/manager/settings.yaml', { ...set, given: { dnsServer: 'ns1' } });
  assert.match(given, /\n {2}DNS_DNS_SERVER: ns1\n/);
});

test('the settings of the user do not name the namespace, which may change: the kustomization beside them does', () => {
  const settings = z.object({ interval: z.int().default(60) });
  const set = operator({ name: 'dns', controllers: [{ for: Site, settings }], settings });
  const path = 'config/manager/settings.yaml';
  assert.equal(textOf(path, set, { namespace: 'one' }), textOf(path, set, { namespace: 'other' }));
  assert.equal(object('config/manager/kustomization.yaml', set, { namespace: 'other' }).namespace, 'other');
  const installed = objectsIn(textOf('dist/install.yaml', set, { namespace: 'other' }));
  const maps = installed.filter(({ kind }) => kind === 'ConfigMap');
  assert.deepEqual(
    maps.map(({ metadata }) => (metadata as { namespace?: string }).namespace),
    ['other'],
  );
});

test('where there is nothing to set, the pods wait for no ConfigMap', () => {
  const settings = z.object({});
  const unset = operator({ name: 'dns', controllers: [{ for: Site, settings }], settings });
  assert.ok(!pathsOf(unset).includes('config/manager/settings.yaml'));
  const [container] = object('config/manager/deployment.yaml', unset).spec.template.spec.containers;
  assert.equal(container.envFrom, undefined);
});

test("whatever selects the operator's pods leaves those alone that it makes under its own name", () => {
  const own = { 'app.kubernetes.io/name': 'site-operator', 'app.kubernetes.io/component': 'manager' };
  const { selector, template } = object('config/manager/deployment.yaml', led).spec;
  assert.deepEqual(template.metadata.labels, own);
  const service = object('config/manager/metrics_service.yaml', led);
  for (const selected of [
    selector.matchLabels,
    template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    object('config/manager/pod_disruption_budget.yaml', led).spec.selector.matchLabels,
    service.spec.selector,
    object('config/network-policy/network_policy.yaml', led).spec.podSelector.matchLabels,
  ]) {
    assert.deepEqual(selected, own);
  }
  assert.deepEqual(
    object('config/prometheus/service_monitor.yaml', led).spec.selector.matchLabels,
    service.metadata.labels,
  );
});

test('a version with a build is a label and a tag with an underscore; one that can be neither is refused', () => {
  const { metadata, spec } = object('config/manager/deployment.yaml', plain, { version: '1.2.3-rc.1+build.5' });
  assert.equal(metadata.labels['app.kubernetes.io/version'], '1.2.3-rc.1_build.5');
  assert.equal(spec.template.spec.containers[0].image, 'site-operator:1.2.3-rc.1_build.5');
  for (const version of ['1 2', '-1', `1.0.0-${'a'.repeat(60)}`]) {
    assert.throws(() => generateFiles(plain, { version }), { name: 'RangeError', message: /the version ".*" becomes/ });
  }
});

test('a name that is too long for what is called after it is refused', () => {
  const named = (length: number) => ({ ...plain, name: 'a'.repeat(length) });
  assert.ok(pathsOf(named(55)).length > 0);
  assert.throws(() => generateFiles(named(56)), {
    name: 'RangeError',
    message: /"a+-metrics" is no name of a Service/,
  });
  assert.throws(() => generateFiles(named(57)), {
    name: 'RangeError',
    message: /"a+-system" is no name of a namespace/,
  });
  assert.throws(() => generateFiles({ ...plain, name: '3scale' }), /"3scale-metrics" is no name of a Service/);
});

test('image, namespace and version are what was chosen; what cannot be is refused', () => {
  const { metadata, spec } = object('config/manager/deployment.yaml', plain, {
    image: 'r/x:2',
    namespace: 'n',
    version: '2',
  });
  assert.equal(spec.template.spec.containers[0].image, 'r/x:2');
  assert.deepEqual([metadata.namespace, metadata.labels['app.kubernetes.io/version']], ['n', '2']);
  const [container] = object('config/manager/deployment.yaml', plain, { version: '1.2.3' }).spec.template.spec
    .containers;
  assert.equal(container.image, 'site-operator:1.2.3');
  assert.throws(() => generateFiles(plain, { namespace: 'Not_A_Name' }), /"Not_A_Name" is no name of a namespace/);
  assert.throws(() => generateFiles(plain, { namespaces: [] }), /must not be empty/);
  for (const image of ['', 'not an image!!', '-x']) {
    assert.throws(() => generateFiles(plain, { image }), {
      name: 'RangeError',
      message: /is no image: a name such as/,
    });
  }
});

test('a code span of the reference holds what has backquotes itself', () => {
  const spec = z.object({
    edge: z
      .string()
      .max(9)
      .regex(/`_a_*`/),
    inner: z
      .string()
      .max(9)
      .regex(/a``_b_/),
  });
  const versions = { v1: { storage: true, spec } } as const;
  const Quoted = defineKind({ group: 'example.com', kind: 'Quoted', hub: 'v1', versions });
  const page = textOf('docs/api.md', plain, { kinds: [Quoted] });
  assert.match(page, /Pattern: `` `_a_\*` ``\./);
  assert.match(page, /Pattern: ```a``_b_```\./);
});

test('the reference has every field with type, default, limits and meaning, and what rules say', () => {
  const page = textOf('docs/api.md', plain);
  assert.match(page, /^## Site\n\n`sites\.web\.example\.com`, in namespaces\.\n/m);
  assert.match(page, /^\| `spec\.host` \| string, required \| Its name\. \|$/m);
  assert.match(page, /^\| `spec\.replicas` \| integer \(int32\) \| Default: ``2``\. Value: at least 1\. \|$/m);
  assert.equal(page.match(/`status\.conditions\[\]\.reason`/g)?.length, 1);
});

test('no Service of the namespace brings the process variables that look like settings', () => {
  assert.equal(object('config/manager/deployment.yaml', led).spec.template.spec.enableServiceLinks, false);
});
