import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, type Operator, operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Secret } from '@keelson/core/v1';
import { defineKind } from '@keelson/schema';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { generateFiles } from '../generate-files.ts';
import { isGenerated } from '../generated-file.ts';
import type { GenerateOptions } from '../installation.ts';

const spec = z.object({ host: z.string().describe('Its name, such as {{ .Values.host }}.') });
const Site = defineKind({
  group: 'web.example.com',
  kind: 'Site',
  hub: 'v2',
  versions: { v1: { spec }, v2: { storage: true, spec: z.object({ name: z.string() }) } },
  conversions: {
    v1: {
      toHub: ({ spec: { host } }) => ({ spec: { name: host } }),
      fromHub: ({ spec: { name } }) => ({ spec: { host: name } }),
    },
  },
});
const settings = z.object({
  dnsServer: z.string().describe('Where records are made.'),
  zones: z.array(z.string()).default([]),
  limit: z.number().default(2_000_000).describe('How many.'),
  size: z.number(),
  servers: z.array(z.string()),
});
const validations = [{ expression: "request.userInfo.username != 'jane'" }];
const full = operator({
  name: 'site-operator',
  controllers: [{ for: Site, owns: [Deployment], needs: [allow(Secret, 'get')], settings }],
  webhooks: [{ for: Site, defaults: true, validates: true }],
  policies: [{ name: 'visitors', for: Site, operations: ['DELETE' as const], validations }],
  settings,
  leaderElection: true,
  secureMetrics: true,
});
const least = operator({ name: 'copier', controllers: [{ for: Secret }] });

const filesOf = (of: Operator, options: GenerateOptions = {}) =>
  generateFiles(of, { chart: true, ...options }).filter(({ path }) => path.startsWith('chart/'));
const textOf = (path: string, of: Operator, options?: GenerateOptions): string => {
  const file = filesOf(of, options).find((each) => each.path === `chart/${path}`);
  assert.ok(file, `${path} is not made`);
  return file.text;
};
const templatesOf = (of: Operator) => filesOf(of).filter(({ path }) => path.startsWith('chart/templates/'));

/** The objects of a template as far as they are the same whatever the values: each expression becomes a word. */
function objectsIn(text: string) {
  const lines = text.split('\n').filter((line) => !/^\s*\{\{-.*\}\}$/.test(line));
  const plain = lines
    .join('\n')
    .replaceAll(/\{\{ `\{\{` \}\}/g, '{{')
    .replaceAll(/\{\{-? [^}]*\}\}/g, ' FILLED');
  return parseAllDocuments(plain).flatMap((document) => {
    assert.deepEqual(document.errors, [], plain);
    return document.toJS() ?? [];
  });
}

test('a chart is made only if it is asked for, the same bytes each time, and every file says whose it is', () => {
  assert.ok(!generateFiles(full).some(({ path }) => path.startsWith('chart/')));
  assert.deepEqual(filesOf(full), filesOf(full));
  for (const { path, text } of filesOf(full)) {
    assert.ok(isGenerated(text), path);
    assert.ok(isGenerated(text.replaceAll('\n', '\r\n')), `${path} on Windows`);
  }
});

for (const each of [full, least]) {
  test(`${each.name}: templates use every value that there is, and no other`, () => {
    const used = new Set<string>();
    for (const { text } of templatesOf(each)) {
      for (const [, value = ''] of text.matchAll(/\$\.Values\.([\w.]+)/g)) used.add(value);
    }
    const leaves = (tree: object, path: string): readonly string[] =>
      Object.entries(tree).flatMap(([name, inner]) => {
        const properties = (inner as { properties?: object }).properties;
        return properties === undefined ? [`${path}${name}`] : leaves(properties, `${path}${name}.`);
      });
    const known = leaves(JSON.parse(textOf('values.schema.json', each)).properties, '');
    assert.deepEqual([...used].sort(), known.filter((name) => name !== 'global').sort());
  });

  test(`${each.name}: the values are what their schema allows, and it refuses what nobody knows`, () => {
    const schema = z.fromJSONSchema(JSON.parse(textOf('values.schema.json', each)));
    const values = parse(textOf('values.yaml', each));
    assert.deepEqual(schema.safeParse(values).error?.issues ?? [], []);
    for (const wrong of [
      { imgae: {} },
      { image: { tag: 1 } },
      { rbac: { create: 'yes' } },
      { nodeSelector: { a: 1 } },
    ]) {
      assert.equal(schema.safeParse({ ...values, ...wrong }).success, false, JSON.stringify(wrong));
    }
  });

  test(`${each.name}: each template closes what it opens, and is YAML`, () => {
    for (const { path, text } of templatesOf(each)) {
      const opened = text.match(/\{\{-? (if|range|with|define) /g)?.length ?? 0;
      assert.equal(text.match(/\{\{-? end -?\}\}/g)?.length ?? 0, opened, path);
      if (path.endsWith('.yaml')) objectsIn(text);
    }
  });

  test(`${each.name}: the chart has every object of the manifests under its name, but for the namespace`, () => {
    const names = (objects: readonly { kind: string; metadata: { name: string } }[]) =>
      new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const install = generateFiles(each).find(({ path }) => path === 'dist/install.yaml');
    const expected = names(parseAllDocuments(install?.text ?? '').map((document) => document.toJS()));
    const found = names(templatesOf(each).flatMap(({ path, text }) => (path.endsWith('.yaml') ? objectsIn(text) : [])));
    expected.delete(`Namespace ${each.name}-system`);
    expected.delete(`ServiceAccount ${each.name}`); // its name is a value
    expected.delete(`Role ${each.name}`); // called otherwise, since a watched namespace may be that of the release
    expected.delete(`RoleBinding ${each.name}`);
    assert.deepEqual(
      [...expected].filter((name) => !found.has(name)),
      [],
    );
  });
}

test('what looks like a template in a definition is printed as it is', () => {
  const text = textOf('templates/crd-web.example.com_sites.yaml', full);
  assert.ok(text.includes('such as {{ `{{` }} .Values.host }}.'), text);
});

test('names with other signs and descriptions of several lines are as good as any', () => {
  const odd = operator({
    name: 'odd',
    controllers: [
      {
        for: defineKind({
          group: 'odd.example.com',
          kind: 'Odd',
          hub: 'v1',
          versions: { v1: { storage: true, spec: z.object({ '{{x}}': z.string() }) } },
        }),
      },
    ],
    settings: z.object({ 'dns-server': z.string().default('a').describe('One.\rtwo: {\u2028three: {') }),
  });
  assert.match(
    textOf('templates/settings.yaml', odd),
    /\{\{ \(index \$\.Values\.settings "dns-server"\) \| quote \}\}/,
  );
  assert.match(textOf('templates/crd-odd.example.com_odds.yaml', odd), /\{\{ `\{\{` \}\}x\}\}'?:/);
  assert.match(textOf('values.yaml', odd), /# One\.\n {2}# two: \{\n {2}# three: \{\n {2}dns-server: a\n/);
  const settings = generateFiles(odd).find(({ path }) => path === 'config/manager/settings.yaml');
  assert.match(settings?.text ?? '', /# One\.\n {2}# two: \{\n {2}# three: \{\n {2}ODD_DNS_SERVER: a\n/);
});

test('nothing names a namespace: the release does, and the values', () => {
  for (const { path, text } of filesOf(full, { namespace: 'sites' })) {
    assert.doesNotMatch(text, /keelson-(release|watched)-namespace|site-operator-system|\bsites-/, path);
  }
  const crd = textOf('templates/crd-web.example.com_sites.yaml', full);
  assert.match(crd, /service:\n +name: site-operator-webhook\n +namespace: \{\{ \$\.Release\.Namespace \| quote \}\}/);
  assert.match(textOf('templates/webhooks.yaml', full), /values: \{\{ toJson \$\.Values\.rbac\.namespaces \}\}/);
  for (const { path, text } of filesOf(full)) assert.doesNotMatch(text, /caBundle/, path);
});

test('texts of values are texts in what is installed, and what is no number, share or duration is refused', () => {
  assert.match(
    textOf('templates/pod-disruption-budget.yaml', full),
    /maxUnavailable: \{\{ toJson \$\.Values\.podDisruptionBudget\.maxUnavailable \}\}\n/,
  );
  const schema = z.fromJSONSchema(JSON.parse(textOf('values.schema.json', full)));
  const isAllowed = (values: object) => schema.safeParse(values).success;
  for (const maxUnavailable of [0, 2, '50%']) assert.ok(isAllowed({ podDisruptionBudget: { maxUnavailable } }));
  for (const maxUnavailable of [-1, '1\n  evil: true', '', 'half']) {
    assert.ok(!isAllowed({ podDisruptionBudget: { maxUnavailable } }), String(maxUnavailable));
  }
  for (const interval of ['', '30s', '1m30s', '500ms']) assert.ok(isAllowed({ monitoring: { interval } }), interval);
  for (const interval of ['often', '30']) assert.ok(!isAllowed({ monitoring: { interval } }), interval);
});

test('a pod has at least the time that its program takes to stop', () => {
  const schema = z.fromJSONSchema(JSON.parse(textOf('values.schema.json', full)));
  const isAllowed = (terminationGracePeriodSeconds: number) =>
    schema.safeParse({ terminationGracePeriodSeconds }).success;
  assert.deepEqual([isAllowed(25), isAllowed(24)], [true, false]);
});

test('a chart wants the version of Kubernetes in which what it installs is stable', () => {
  assert.equal(parse(textOf('Chart.yaml', full)).kubeVersion, '>=1.30.0-0', 'policies');
  assert.equal(parse(textOf('Chart.yaml', least)).kubeVersion, '>=1.29.0-0');
});

test('the notes say who can read metrics, and that definitions go only where they came along', () => {
  const notes = textOf('templates/NOTES.txt', full);
  assert.match(notes, /if and \$\.Values\.crds\.install \(not \$\.Values\.crds\.keep\) \}\}\n\nThe definitions go/);
  assert.match(notes, /kubectl label namespace NAMESPACE-OF-PROMETHEUS \{\{ \$name \}\}=\{\{ \$value \}\}/);
});

test('definitions stay when the release goes', () => {
  assert.match(
    textOf('templates/crd-web.example.com_sites.yaml', full),
    /\{\{- if \$\.Values\.crds\.keep \}\}\n {2}annotations:\n {4}helm\.sh\/resource-policy: keep\n {2}\{\{- end \}\}/,
  );
});

test('a change of the settings rolls the pods; where there are none, there is no ConfigMap', () => {
  assert.match(textOf('templates/deployment.yaml', full), /checksum\/settings: \{\{ include .*settings\.yaml/);
  const map = textOf('templates/settings.yaml', full);
  assert.match(map, /SITE_OPERATOR_DNS_SERVER: \{\{ \(required "settings.dnsServer is required"/);
  assert.match(map, /SITE_OPERATOR_ZONES: \{\{ join "," \$\.Values\.settings\.zones \| quote \}\}/);
  // As text: Helm reads numbers as floating ones, which it prints as 2e+06.
  assert.match(map, /SITE_OPERATOR_LIMIT: \{\{ \$\.Values\.settings\.limit \| toJson \| quote \}\}/);
  assert.match(map, /SITE_OPERATOR_SIZE: \{\{ \(required [^)]*settings\.size\) \| toJson \| quote \}\}/);
  assert.match(map, /SITE_OPERATOR_SERVERS: \{\{ join "," \(required [^)]*settings\.servers\) \| quote \}\}/);
  assert.ok(!filesOf(least).some(({ path }) => path.endsWith('settings.yaml')));
  assert.doesNotMatch(textOf('templates/deployment.yaml', least), /checksum|envFrom/);
});

test('an operator of one replica has no values about several', () => {
  assert.equal(parse(textOf('values.yaml', least)).ha, undefined);
  assert.match(textOf('templates/deployment.yaml', least), /replicas: 1\n.*\n {2}strategy:\n {4}type: Recreate/s);
  assert.ok(!filesOf(least).some(({ path }) => path.includes('budget')));
});

test('an image is told in its parts; a tag that is the version is left to the chart', () => {
  const image = (options: GenerateOptions) => parse(textOf('values.yaml', least, options)).image;
  const { repository, tag, digest } = image({ image: 'r.example.com:5000/a/b:2', version: '1.0.0' });
  assert.deepEqual([repository, tag, digest], ['r.example.com:5000/a/b', '2', '']);
  assert.deepEqual([image({ version: '1.0.0+5' }).repository, image({ version: '1.0.0+5' }).tag], ['copier', '']);
  const exact = `sha256:${'a'.repeat(64)}`;
  assert.equal(image({ image: `r.example.com/b@${exact}` }).digest, exact);
});

test('Chart.yaml has the version twice, and the words of the project', () => {
  const chart = { description: 'Copies.', keywords: ['copy'], maintainers: [{ name: 'Ada' }] };
  const { version, appVersion, ...rest } = parse(textOf('Chart.yaml', least, { version: '1.2.3+4', chart }));
  assert.deepEqual([version, appVersion], ['1.2.3+4', '1.2.3+4']);
  assert.deepEqual([rest.name, rest.description, rest.keywords, rest.maintainers], ['copier', ...Object.values(chart)]);
});
