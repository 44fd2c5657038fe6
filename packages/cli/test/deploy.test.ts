/** deploy and undeploy as functions, on one embedded cluster over HTTPS, where pods are simulated. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Client, createClient, createDiscovery } from '@keelson/client';
import { type Cluster, createCluster } from '@keelson/cluster';
import type { KubernetesObject } from '@keelson/core';
import { ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Deployment } from '@keelson/core/apps/v1';
import { Lease } from '@keelson/core/coordination/v1';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { ConfigMap, Namespace, Secret, ServiceAccount } from '@keelson/core/v1';
import { generateFiles } from '@keelson/generate';
import { parse, stringify } from 'yaml';
import { deployable } from '../src/deploy/deployable.ts';
import { loadOperator } from '../src/operator-module.ts';
import { createProjects, type Projects, websiteManifest, websiteSource } from './projects.ts';
import { runKeelson } from './test-shell.ts';

const group = 'deploy.test';
const Website = { group, version: 'v1', kind: 'Website', resource: 'websites', scope: 'Namespaced' } as const;
const image = 'registry.example.com/website:1';
const definition = `websites.${group}`;

describe('on a cluster', () => {
  let cluster: Cluster;
  let client: Client;
  let projects: Projects;
  let kubeconfig: string;

  before(async () => {
    cluster = createCluster({ node: { images: ['registry.example.com/*'], readyAfterMs: 0, stopAfterMs: 0 } });
    projects = await createProjects();
    kubeconfig = await projects.write('kubeconfig', (await cluster.listen()).kubeconfig);
    client = createClient({ transport: cluster.transport, fieldManager: 'test' });
    await projects.write('package.json', websiteManifest);
    await projects.write('src/operator.ts', websiteSource({ group, leaderElection: true }));
    await projects.write('hooked/package.json', websiteManifest);
    await projects.write('hooked/src/operator.ts', websiteSource({ group, tooLarge: 9, leaderElection: true }));
  });
  after(async () => {
    await projects[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const run = (line: string, given: Parameters<typeof runKeelson>[1] = {}) =>
    runKeelson([...line.split(' ').toSpliced(1, 0, '--kubeconfig', kubeconfig)], { cwd: projects.root, ...given });
  const deploy = (more = '', given?: Parameters<typeof run>[1]) => run(`deploy --image ${image}${more}`, given);
  /** As somebody who may do everything but see objects of one kind. */
  const runBlind = async (hidden: string, line: string) => {
    const all = await createDiscovery(client).all();
    const rules = all.map(({ group: of, resource }) => ({ apiGroups: [of], resources: [resource], verbs: ['*'] }));
    const name = `blind-to-${hidden}`;
    const metadata = { name };
    await client.create(ClusterRole, { metadata, rules: rules.filter(({ resources: [one] }) => one !== hidden) });
    await client.create(ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: ClusterRole.group, kind: 'User', name }],
    });
    const config = parse(await readFile(kubeconfig, 'utf8'));
    config.users[0].user.as = name;
    return run(`${line} --kubeconfig ${await projects.write(name, stringify(config))}`);
  };
  const exists = async (kind: Parameters<Client['find']>[0], key: string) =>
    (await client.find(kind, key)) !== undefined;

  test('a deploy applies what was generated, waits for the pods, and says where to look next', async () => {
    const { code, out, err } = await deploy('', { cwd: join(projects.root, 'hooked') });
    assert.equal(code, 0, err);
    assert.match(
      out,
      /^created {4}Namespace website-system\ncreated {4}CustomResourceDefinition websites\.deploy\.test\n/,
    );
    assert.match(
      out,
      /^website is deployed in website-system, and nothing of it runs: its 2 pods are simulated by the node \S+\.\nNobody reconciles, and nobody answers its webhooks\..*\n {2}keelson undeploy --kubeconfig \S+\n {2}keelson dev\n$/m,
    );
    assert.match(err, /^website: 2 of 2 pods ready\n/m);
    assert.match(err, /^ {2}website-\S+ is ready\n/m);
    const { spec, metadata } = await client.get(Deployment, 'website-system/website');
    assert.equal(spec.template.spec?.containers[0]?.image, image);
    assert.equal(metadata.labels?.['deploy.keelson/operator'], 'website');
  });

  test('the next one changes what is otherwise, and removes what is no longer there', async () => {
    const labels = { 'deploy.keelson/operator': 'website' };
    const former = { name: 'former', namespace: 'website-system', labels };
    await client.apply(ServiceAccount, { metadata: former }, { fieldManager: 'keelson-deploy' });
    await client.create(Lease, { metadata: { name: 'website', namespace: 'website-system' }, spec: {} });
    const { isReady, objects, ...found } = JSON.parse((await run(`deploy --image ${image}-next --output json`)).out);
    assert.equal(isReady, true);
    assert.equal(found.image, `${image}-next`);
    assert.deepEqual(
      objects
        .filter(({ result }: { readonly result: string }) => result !== 'unchanged')
        .map(({ result, object }: { readonly result: string; readonly object: string }) => `${result} ${object}`),
      [
        'changed ClusterRole website',
        // The right to find its own Deployment, which its certificates needed as well.
        'changed Role website-system/website-leader-election',
        'changed Deployment website-system/website',
        'changed NetworkPolicy website-system/website',
        'deleted ValidatingWebhookConfiguration website-validating',
        'deleted Role website-system/website',
        'deleted RoleBinding website-system/website',
        'deleted Service website-system/website-webhook',
        'deleted ServiceAccount website-system/former',
      ],
    );
    await client.delete(Lease, 'website-system/website'); // it was still there, for the pods that go on
  });

  test('where the image cannot be pushed, nothing is applied', async () => {
    await projects.write('pushed/package.json', websiteManifest);
    await projects.write('pushed/src/main.ts', '');
    await projects.write('pushed/src/operator.ts', websiteSource({ group: 'pushed.test' }));
    const flags = '--build --plain-http 127.0.0.1:1 --base 127.0.0.1:1/node:24';
    const env = { XDG_CACHE_HOME: join(projects.root, 'cache') };
    const { code, err } = await run(`deploy --image 127.0.0.1:1/website:1 ${flags}`, {
      cwd: join(projects.root, 'pushed'),
      env,
    });
    assert.equal(code, 1);
    assert.match(
      err,
      /^keelson deploy: the base 127\.0\.0\.1:1\/node:24 cannot be pulled, since the registry 127\.0\.0\.1:1 cannot be reached .*"--base packages" makes one/m,
    );
    assert.equal(await exists(CustomResourceDefinition, 'websites.pushed.test'), false);
  });

  test('an edited config/default is for kubectl to read, and what it names must be as generated', async () => {
    const patched = 'resources: [../crd, ../rbac, ../manager]\npatches: []\n';
    await projects.write('edited/package.json', websiteManifest);
    await projects.write('edited/src/operator.ts', websiteSource({ group }));
    await projects.write('edited/config/default/kustomization.yaml', patched);
    const cwd = join(projects.root, 'edited');
    const stale = await deploy('', { cwd, env: { PATH: '' } });
    assert.match(
      stale.err,
      /kustomization\.yaml was edited, and what it names is not as generated \(config\/crd.*run "keelson generate"/,
    );
    assert.equal((await runKeelson(['generate'], { cwd })).code, 0);
    const lacking = await deploy('', { cwd, env: { PATH: '' } });
    assert.match(lacking.err, /so kubectl has to read it, and it is not here; install it\.\n$/);
  });

  test('a config/default that says the same in other comments needs no kubectl', async () => {
    await projects.write('commented/package.json', websiteManifest);
    await projects.write('commented/src/operator.ts', websiteSource({ group }));
    const module = await loadOperator({ cwd: join(projects.root, 'commented'), operator: undefined });
    const generated = generateFiles(module.operator, { image, kinds: module.kinds });
    const path = 'config/default/kustomization.yaml';
    const text = generated.find((each) => each.path === path)?.text ?? '';
    await projects.write(`commented/${path}`, `# Ours.\n${text}`);
    const { deployment } = await deployable(module, { image }, { env: { PATH: '' } });
    assert.equal(deployment.name, 'website');
  });

  test('other settings are other pods, and settings that are no YAML are refused', async () => {
    const source = websiteSource({ group }).replace("name: 'website',", '$& settings: z.object({ a: z.string() }),');
    await projects.write('set/package.json', websiteManifest);
    await projects.write('set/src/operator.ts', source);
    const module = await loadOperator({ cwd: join(projects.root, 'set'), operator: undefined });
    const podsWith = async (data: string) => {
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: website-settings\ndata: ${data}\n`;
      await projects.write('set/config/manager/settings.yaml', text);
      const { objects } = await deployable(module, { image }, { env: {} });
      return JSON.stringify(objects.find(({ kind }) => kind === 'Deployment')?.spec);
    };
    const first = await podsWith('{ WEBSITE_A: one }');
    assert.equal(await podsWith('{ WEBSITE_A: one }'), first);
    assert.notEqual(await podsWith('{ WEBSITE_A: two }'), first);
    await assert.rejects(podsWith('{ WEBSITE_A: "two }'), /settings\.yaml is no YAML: Missing closing "quote/);
  });

  test('an image that cannot be pulled is told with what to do, and the pods from before go on', async () => {
    const stop = new AbortController();
    const told: string[] = [];
    await run('deploy --image nowhere.example.com/website:1', {
      stopSignal: () => stop.signal,
      err: (text) => {
        told.push(text);
        if (text.includes('cannot pull')) stop.abort();
      },
    });
    assert.match(
      told.join(''),
      /keelson deploy: it was stopped, and what was applied stays; call again, and it goes on/,
    );
    const { code, err } = await run('deploy --image nowhere.example.com/website:1');
    assert.equal(code, 1);
    assert.match(
      err,
      /^keelson deploy: website is not ready: website-\S+ cannot pull nowhere\.example\.com\/website:1 \([^()]*\); [^;]*\.$/m,
    );
    const { status } = await client.get(Deployment, 'website-system/website');
    assert.equal(status?.availableReplicas, 2);

    const again = await run('deploy --image nowhere.example.com/website:1');
    const stuck = /website-\S+(?= cannot pull)/;
    assert.match(again.err, stuck);
    assert.notEqual(
      stuck.exec(again.err)?.[0],
      stuck.exec(err)?.[0],
      'a pod that waits is replaced by one that pulls now',
    );
  });

  test('an operator that runs is told with where to look next, also to somebody who may not see its node', async () => {
    const { code, out, err } = await runBlind('nodes', `deploy --image ${image}`);
    assert.equal(code, 0, err);
    assert.match(out, /^website runs \S+website:1 in website-system: its 2 pods are ready after \d+ s\.$/m);
    assert.match(out, /kubectl --kubeconfig \S+ logs deployment\/website --namespace website-system --follow/);
  });

  test('without an election the pods of before go first, and an election is had again', async () => {
    await projects.write('alone/package.json', websiteManifest);
    await projects.write('alone/src/operator.ts', websiteSource({ group }));
    const strategyOf = async () => (await client.get(Deployment, 'website-system/website')).spec.strategy;
    assert.equal((await strategyOf())?.type, 'RollingUpdate');
    const { code, out, err } = await deploy('', { cwd: join(projects.root, 'alone') });
    assert.equal(code, 0, err);
    assert.match(out, /^Nobody reconciles\. To run it/m);
    assert.deepEqual(await strategyOf(), { type: 'Recreate' });
    assert.equal((await client.get(Deployment, 'website-system/website')).spec.paused, undefined);
    assert.equal((await deploy()).code, 0);
    assert.equal((await strategyOf())?.type, 'RollingUpdate');
  });

  test('an operator that is in one namespace is not deployed into another', async () => {
    const { code, err } = await deploy(' --namespace elsewhere');
    assert.equal(code, 1);
    assert.match(
      err,
      /^keelson deploy: nothing was changed, since website is in the namespace website-system already, and two of it would work on the same objects; say --namespace website-system, or take it off there first with "keelson undeploy"\.$/m,
    );
    assert.equal(await exists(Namespace, 'elsewhere'), false);
  });

  test('a definition that somebody else has written is told with who that is, and no flag is recommended', async () => {
    const { spec } = await client.get(CustomResourceDefinition, definition);
    const versions = spec.versions.map((each) => ({ ...each, deprecated: true }));
    const metadata = { name: definition, labels: { 'app.kubernetes.io/part-of': 'web-suite' } };
    const theirs = { metadata, spec: { ...spec, versions } };
    await client.apply(CustomResourceDefinition, theirs, { fieldManager: 'argo', force: true });
    const { code, err } = await deploy();
    assert.equal(code, 1);
    assert.match(
      err,
      /nothing was changed, since CustomResourceDefinition websites\.deploy\.test is held by argo for web-suite, with another \.spec\.versions; if another operator serves this kind, take that one off first.*"keelson install" takes the definition over\.$/m,
    );
    assert.doesNotMatch(err, /--force-conflicts/);
    assert.equal((await deploy(' --force-conflicts')).err, err);
    assert.equal((await run('install')).code, 0);
    assert.equal((await deploy()).code, 0);
  });

  test('what Helm, OLM or somebody else holds is named, and nothing is changed', async () => {
    const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'blue' };
    await client.patch(CustomResourceDefinition, definition, { metadata: { annotations } });
    await client.patch(ServiceAccount, 'website-system/website', {
      metadata: { labels: { 'app.kubernetes.io/name': 'x' } },
    });
    const held = await run(`deploy --image ${image}-held`);
    assert.equal(held.code, 1);
    assert.match(
      held.err,
      /nothing was changed, since CustomResourceDefinition websites\.deploy\.test belongs to the Helm release web in blue, ServiceAccount website-system\/website is there and not of website; upgrade the operator there/,
    );
    const none = { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null };
    await client.patch(CustomResourceDefinition, definition, { metadata: { annotations: none } });
    await client.patch(Deployment, 'website-system/website', { spec: { replicas: 3 } });
    const { code, err } = await run(`deploy --image ${image}-held`);
    assert.equal(code, 1);
    const { spec } = await client.get(Deployment, 'website-system/website');
    assert.notEqual(spec.template.spec?.containers[0]?.image, `${image}-held`);
    assert.match(
      err,
      /Deployment website-system\/website has fields that others have set \(\.spec\.replicas \(test\)\); .*--force-conflicts/,
    );
    assert.equal((await deploy(' --force-conflicts')).code, 0);
    assert.equal((await client.get(Deployment, 'website-system/website')).spec.replicas, 2);
  });

  test('an undeploy removes what deploys and the operator made, and keeps the rest', async () => {
    await client.create(Website, { metadata: { name: 'mine', namespace: 'default' }, spec: {} });
    // As if config/default had a sample; nobody would see to its finalizer any more.
    const labels = { 'deploy.keelson/operator': 'website' };
    const sample = { name: 'sample', namespace: 'default', labels, finalizers: [`${group}/clean`] };
    await client.apply(Website, { metadata: sample, spec: {} }, { fieldManager: 'keelson-deploy' });
    // As operators in pods make it: it goes with the Deployment, and is told all the same.
    const { uid } = (await client.get(Deployment, 'website-system/website')).metadata;
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'website', uid }];
    await client.create(Lease, {
      metadata: { name: 'website', namespace: 'website-system', ownerReferences },
      spec: {},
    });
    await client.create(Secret, { metadata: { name: 'website-webhook-certificate', namespace: 'website-system' } });
    await client.create(ConfigMap, {
      metadata: { name: 'copied', namespace: 'default', labels: { 'deploy.keelson/operator': 'website' } },
    });
    await client.create(ConfigMap, { metadata: { name: 'mine', namespace: 'website-system' } });
    const validating = { metadata: { name: 'website-validating', labels } };
    await client.apply(ValidatingWebhookConfiguration, validating, { fieldManager: 'keelson-deploy' });
    const unseeing = await runBlind('secrets', 'undeploy');
    assert.equal(unseeing.code, 1);
    assert.match(unseeing.err, /"website-webhook-certificate" is forbidden/);
    assert.ok(
      await exists(ValidatingWebhookConfiguration, 'website-validating'),
      'what cannot be finished is not begun',
    );
    const { code, out, err } = await run('undeploy');
    assert.equal(code, 0, err);
    assert.match(out, /^kept {7}CustomResourceDefinition websites\.deploy\.test with 2 objects$/m);
    assert.match(out, /^kept {7}Website default\/sample, since objects of the kinds that it defines stay$/m);
    const sampled = (await client.get(Website, 'default/sample')) as KubernetesObject;
    assert.equal(sampled.metadata.deletionTimestamp, undefined);
    await client.patch(Website, 'default/sample', { metadata: { finalizers: null } });
    await client.delete(Website, 'default/sample');
    assert.match(out, /^kept {7}Namespace website-system, which has ConfigMap website-system\/mine$/m);
    for (const each of ['Deployment website-system/website', 'Lease website-system/website', 'ClusterRole website']) {
      assert.ok(out.includes(`deleted    ${each}\n`), each);
    }
    assert.equal(await exists(ValidatingWebhookConfiguration, 'website-validating'), false);
    assert.equal(await exists(Secret, 'website-system/website-webhook-certificate'), false);
    assert.equal(await exists(ClusterRole, 'website'), false);
    assert.equal(await exists(ConfigMap, 'default/copied'), true);
    assert.equal(await exists(Website, 'default/mine'), true);
    await client.delete(ConfigMap, 'website-system/mine');
    // Owned by what is in no namespace, it goes with nothing here.
    const { metadata: owner } = await client.create(ClusterRole, { metadata: { name: 'lasting' } });
    await client.create(ConfigMap, {
      metadata: {
        name: 'owned',
        namespace: 'website-system',
        ownerReferences: [
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'lasting', uid: owner.uid },
        ],
      },
    });
    assert.match((await run('undeploy')).out, /^kept {7}Namespace \S+, which has ConfigMap website-system\/owned$/m);
    await client.delete(ConfigMap, 'website-system/owned');
    const blind = await runBlind('configmaps', 'undeploy');
    assert.match(blind.err, /^warning: you may not list configmaps: what deploys made of these stays$/m);
    assert.match(blind.out, /^kept {7}Namespace website-system: you may not see whether it has configmaps$/m);
    const refused = await run('undeploy --definitions');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /1 object on \S+ would be deleted with their definitions .*; say --yes if you mean that/);
    const early = new AbortController();
    early.abort();
    const stopped = await run('undeploy', { stopSignal: () => early.signal });
    assert.match(stopped.err, /keelson undeploy: it was stopped; call again, and it goes on from there\./);
    const { objects } = JSON.parse((await run('undeploy --definitions --yes --output json')).out);
    assert.deepEqual(objects, [
      { object: `CustomResourceDefinition ${definition}`, result: 'deleted', note: ' with 1 object' },
      { object: 'Namespace website-system', result: 'deleted' },
    ]);
    assert.match((await run('undeploy')).out, /^Nothing of website is deployed on/m);
  });

  const misuse: readonly (readonly [line: string, sentence: RegExp])[] = [
    ['deploy', /nothing says which image; say --image/],
    ['deploy --image Not_An_Image', /names no image/],
    [`deploy --image ${image} --base packages`, /--base is about an image that is built; say --build, too/],
    [`deploy --image ${image} --namespace Blue`, /"Blue" is no name of a namespace/],
    [`deploy --image ${image} --timeout soon`, /must be a number of seconds/],
  ];
  for (const [line, sentence] of misuse) {
    test(`keelson ${line} is refused with exit code 2`, async () => {
      const { code, out, err } = await run(line);
      assert.match(err, sentence);
      assert.equal(code, 2);
      assert.equal(out, '');
    });
  }
});
