/** Commands on a cluster, each as a function, on one embedded cluster over HTTPS. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createServer as createTlsServer, rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type Client, type ClusterConfig, createClient, loadConfig, type Material, Secret } from '@keelson/client';
import { applyAccount, type Cluster, createCluster } from '@keelson/cluster';
import { type PolicyRule, timestamp } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Namespace } from '@keelson/core/v1';
import { applySamples, sampleFiles } from '../src/dev-samples.ts';
import { certificateFindings } from '../src/doctor-certificates.ts';
import type { Finding } from '../src/doctor-finding.ts';
import { createProjects, type Projects, websiteManifest, websiteSource } from './projects.ts';
import { runKeelson } from './test-shell.ts';

const Website = {
  group: 'commands.test',
  version: 'v1',
  kind: 'Website',
  resource: 'websites',
  scope: 'Namespaced',
} as const;
const name = 'websites.commands.test';

describe('on a cluster', () => {
  let cluster: Cluster;
  let client: Client;
  let projects: Projects;
  let kubeconfig: string;
  let server: string;
  let text: string;

  before(async () => {
    cluster = createCluster();
    projects = await createProjects();
    const listening = await cluster.listen();
    ({ url: server, kubeconfig: text } = listening);
    kubeconfig = await projects.write('kubeconfig', text);
    client = createClient({ transport: cluster.transport, fieldManager: 'test' });
    await projects.write('package.json', websiteManifest);
    await projects.write('src/operator.ts', websiteSource({ group: 'commands.test' }));
    await projects.write('changed/package.json', websiteManifest);
    await projects.write(
      'changed/src/operator.ts',
      websiteSource({ group: 'commands.test', fields: 'title: z.string()' }),
    );
  });
  after(async () => {
    await projects[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const run = (line: string, given: Parameters<typeof runKeelson>[1] = {}) =>
    runKeelson([...line.split(' '), '--kubeconfig', kubeconfig], { cwd: projects.root, ...given });
  const createObject = (object: string, finalizers: readonly string[] = []) =>
    client.create(Website, { metadata: { name: object, namespace: 'default', finalizers }, spec: {} });
  /** A project whose operator is run by a program of its own; its folder. */
  const writeProgram = async (folder: string, source: string) => {
    const declared = "[{ for: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' } }]";
    await projects.write(`${folder}/package.json`, websiteManifest.replace('} }', ', "main": "./src/main.ts" } }'));
    await projects.write(`${folder}/src/operator.ts`, `export const o = { name: 'bare', controllers: ${declared} };`);
    await projects.write(`${folder}/src/main.ts`, source);
    return join(projects.root, folder);
  };
  const ok = (out: string) => ({ code: 0, out, err: '' });

  test('each sample is applied or told why not, whatever becomes of the others', async () => {
    const files = await Promise.all(
      [
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: sample }\n---\n# nothing\n',
        'apiVersion: v1\nkind: Service\nmetadata: { name: sample }\nspec: { ports: [] }\n',
        'apiVersion: v1\nkind: Nonsense\nmetadata: { name: sample }\n',
        'just a text',
        'apiVersion: v1\nkind: Namespace\nmetadata: { name: sample }\n',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: placed, namespace: sample }\n',
      ].map((sample, at) => projects.write(`config/samples/${at}.yaml`, sample)),
    );
    const results = await applySamples(client, files);
    assert.deepEqual(
      results.map(({ applied }) => applied),
      [['ConfigMap default/sample'], [], [], [], ['Namespace sample'], ['ConfigMap sample/placed']],
    );
    const [, service, ...others] = results.map(({ problem }) => problem);
    assert.match(service ?? '', /spec\.ports: Required value/);
    const told = ['the cluster has no kind Nonsense in v1', 'it holds no Kubernetes object', undefined, undefined];
    assert.deepEqual(others, told);
    // What "kubectl apply" of the same file looks for, and warns without.
    const { metadata } = await client.get(Namespace, 'sample');
    assert.equal(
      metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'],
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{},"name":"sample"}}\n',
    );
  });

  test('samples are the YAML files of config/samples in their order, and none where there is no such folder', async () => {
    for (const file of ['b.yml', 'a.yaml', 'kustomization.yaml', 'notes.md']) {
      await projects.write(`listed/config/samples/${file}`, '');
    }
    const folder = join(projects.root, 'listed');
    const found = ['a.yaml', 'b.yml'].map((file) => join(folder, 'config', 'samples', file));
    assert.deepEqual(await sampleFiles(folder), found);
    assert.deepEqual(await sampleFiles(join(folder, 'config')), []);
  });

  test('a definition that a changed plural has left behind is told of by install and doctor', async () => {
    await run('install');
    const renamed = { cwd: join(projects.root, 'renamed') };
    await projects.write('renamed/package.json', websiteManifest);
    const source = websiteSource({ group: 'commands.test' });
    await projects.write(
      'renamed/src/operator.ts',
      source.replace("kind: 'Website',", "kind: 'Website', plural: 'sites',"),
    );
    const next = `"kubectl delete crd ${name}" deletes it with its objects, so make these anew under the new plural`;
    const { code, err } = await run('install', renamed);
    assert.equal(code, 1);
    assert.equal(
      err,
      `keelson install: sites.commands.test is not accepted, since ${name} has the kind Website; ${next}.\n`,
    );
    const findings = JSON.parse((await run('doctor --output json', renamed)).out) as readonly Finding[];
    const text = `${name} has the kind Website, too, under another plural`;
    assert.deepEqual(
      findings.filter((each) => each.text === text),
      [{ check: 'definition', status: 'failed', text, next }],
    );
    // It is there, and not served.
    assert.match((await run('uninstall', renamed)).err, /: objects that cannot be listed on \S+ would be deleted/);
    await run('uninstall');
    assert.deepEqual(await run('install', renamed), ok('unchanged  sites.commands.test (v1)\n'));
    await run('uninstall', renamed);
  });

  test('install creates, leaves and changes definitions, and says which; migrate finds nothing to do; uninstall takes them away', async () => {
    assert.deepEqual(await run('install'), ok(`created    ${name} (v1)\n`));
    assert.deepEqual(await run('install'), ok(`unchanged  ${name} (v1)\n`));
    const changed = { cwd: join(projects.root, 'changed') };
    const { out } = await run('install --output json', changed);
    assert.deepEqual(JSON.parse(out), { server, definitions: [{ name, result: 'changed', versions: ['v1'] }] });
    const { spec } = await client.get(CustomResourceDefinition, name);
    assert.ok(spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec?.properties?.title);
    assert.deepEqual(await run('migrate'), ok(`unchanged  ${name} (v1)\n`));
    assert.deepEqual(await run('migrate others.commands.test'), ok('absent     others.commands.test\n'));
    assert.deepEqual(await run('uninstall'), ok(`deleted  ${name}\n`));
    assert.deepEqual(await run('uninstall'), ok(`absent   ${name}\n`));
  });

  test('uninstall names the objects that would go, and deletes them only with --yes or a yes', async () => {
    await run('install');
    await createObject('a');
    await createObject('b');
    assert.deepEqual(await run('uninstall'), {
      code: 1,
      out: '',
      err:
        `keelson uninstall: 2 objects on ${server} would be deleted with their definitions ` +
        `(${name}: default/a, default/b); say --yes if you mean that.\n`,
    });
    const questions: string[] = [];
    const person = (answer: boolean) => ({
      isInteractive: true,
      confirm: async (question: string) => {
        questions.push(question);
        return answer;
      },
    });
    const declined = await run('uninstall', person(false));
    assert.deepEqual([declined.code, declined.err], [1, 'keelson uninstall: nothing was deleted.\n']);
    assert.match(
      declined.out,
      /^These go with their definitions on https:\S+:\n {2}websites\.commands\.test: default\/a, default\/b\n$/,
    );
    assert.deepEqual(questions, ['Delete 2 objects?']);
    assert.equal((await client.list(Website)).items.length, 2);
    assert.equal((await run('uninstall', person(true))).code, 0);
    await run('install');
    await createObject('only');
    assert.deepEqual(await run('uninstall --yes'), ok(`deleted  ${name} with 1 object\n`));
    await run('install');
    await createObject('c');
    const { code, out } = await run('uninstall --yes --output json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), { server, definitions: [{ name, result: 'deleted', objects: 1 }] });
    assert.equal(await client.find(CustomResourceDefinition, name), undefined);
  });

  test('uninstall takes objects that cannot be listed for objects', async () => {
    await run('install');
    const { spec } = await client.get(CustomResourceDefinition, name);
    const former = spec.versions.map((version) => ({ ...version, name: 'v0', served: false, storage: false }));
    await client.patch(CustomResourceDefinition, name, { spec: { versions: [...former, ...spec.versions] } });
    await createObject('seen');
    assert.match((await run('uninstall')).err, /\(websites\.commands\.test: default\/seen\)/);
    await client.delete(Website, 'default/seen');
    const unserved = spec.versions.map((version) => ({ ...version, served: false }));
    await client.patch(CustomResourceDefinition, name, { spec: { versions: unserved } });
    assert.deepEqual(await run('uninstall'), {
      code: 1,
      out: '',
      err:
        `keelson uninstall: objects that cannot be listed on ${server} would be deleted with their definitions ` +
        `(${name}: objects that cannot be listed); say --yes if you mean that.\n`,
    });
    const { code, out } = await run('uninstall --yes --output json --timeout 5');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out).definitions, [{ name, result: 'deleted', objects: null }]);
  });

  test('uninstall asks beside its answer in JSON, and leaves a definition that was made anew meanwhile', async () => {
    await run('install');
    await createObject('old');
    const person = {
      isInteractive: true,
      async confirm() {
        await run('uninstall --yes');
        await run('install');
        await createObject('new');
        return true;
      },
    };
    const { code, out, err } = await run('uninstall --output json', person);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^These go with their definitions on .*\n {2}websites\.commands\.test: default\/old\n/);
    assert.match(
      err,
      /^keelson uninstall: websites\.commands\.test was made anew meanwhile, and stays; call again\.\n$/m,
    );
    assert.ok(await client.find(Website, 'default/new'));
    await run('uninstall --yes');
  });

  test('uninstall is content with a definition that somebody else has deleted meanwhile', async () => {
    await run('install');
    await createObject('gone');
    const confirm = async () => (await run('uninstall --yes')).code === 0;
    assert.equal((await run('uninstall', { isInteractive: true, confirm })).code, 0);
  });

  test('uninstall tells of objects that wait for their finalizers', async () => {
    await run('install');
    await createObject('held', ['commands.test/cleanup']);
    assert.deepEqual(await run('uninstall --yes --timeout 0.1'), {
      code: 1,
      out: '',
      err:
        `keelson uninstall: ${name} is marked for deletion and not gone after 0.1 s, because objects wait for their ` +
        'finalizers (default/held); let the operator run, which cleans up behind them: keelson run.\n',
    });
    await client.patch(Website, 'default/held', { metadata: { finalizers: null } });
    assert.equal((await run('uninstall')).code, 0);
  });

  test('a cluster that is not on this machine is taken only when it is named', async () => {
    const far = await projects.write('far', text.replace(server, 'https://prod.invalid:6443'));
    for (const command of ['install', 'uninstall --yes', 'run']) {
      const refused = await runKeelson([...command.split(' '), '--kubeconfig', far], { cwd: projects.root });
      assert.deepEqual(refused, {
        code: 1,
        out: '',
        err:
          `keelson ${command.split(' ')[0]}: context "keelson" of ${far} leads to https://prod.invalid:6443, which is not ` +
          'on this machine; name it with --context <name> if you mean it.\n',
      });
    }
    const named = await runKeelson(['install', '--kubeconfig', far, '--context', 'keelson'], { cwd: projects.root });
    assert.equal(named.code, 1);
    assert.match(named.err, /prod\.invalid[^?\n]*; is [^?\n]*\? "keelson doctor" looks closer\.\n$/);
  });

  test('no cluster, one that is gone, one that is too old and one that refuses are each told in a sentence', async () => {
    const env = { HOME: projects.root };
    const none = await runKeelson(['install'], { cwd: projects.root, env });
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(
      none.err,
      /^keelson install: no cluster is configured: .*; "keelson cluster start" runs one on this machine\.\n$/,
    );

    const named = await runKeelson(['version', '--server'], { cwd: projects.root, env: { KUBECONFIG: kubeconfig } });
    assert.match(named.out, /^server {3}v1\./m);

    const old = createServer((_, response) =>
      response.setHeader('Warning', '299 - "beware"').end('{"major":"1","minor":"24","gitVersion":"v1.24.3"}'),
    );
    old.listen(0, '127.0.0.1');
    await once(old, 'listening');
    const address = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const oldConfig = await projects.write('old', text.replace(server, address));
    const tooOld = await runKeelson(['install', '--kubeconfig', oldConfig], { cwd: projects.root });
    assert.deepEqual(tooOld, {
      code: 1,
      out: '',
      err: `beware\nkeelson install: ${address} runs Kubernetes v1.24.3, which is too old; take a cluster of Kubernetes 1.29 or newer.\n`,
    });
    const served = await runKeelson(['version', '--server', '--kubeconfig', 'old'], { cwd: projects.root });
    assert.match(served.out, /^server {3}v1\.24\.3$/m);
    const examined = await runKeelson(['doctor', '--kubeconfig', 'old'], { cwd: projects.root });
    assert.equal(examined.code, 1);
    assert.match(
      examined.out,
      /^failed {3}version {7}Kubernetes v1\.24\.3 is too old\n {23}Take a cluster of .* 1\.29 or/m,
    );
    old.close();
    old.closeAllConnections();
    await once(old, 'close');
    const gone = await runKeelson(['install', '--kubeconfig', oldConfig], { cwd: projects.root });
    assert.equal(gone.code, 1);
    assert.match(
      gone.err,
      /^keelson install: [^?\n]*; is the cluster running there\? "keelson doctor" looks closer\.\n$/,
    );
    const looked = await runKeelson(['doctor', '--kubeconfig', 'old'], { cwd: projects.root });
    assert.match(looked.out, /^failed {3}cluster {7}get \/version: [^?\n]*; is the cluster running there\?$/m);

    const nobody = await projects.write('nobody', text.replace('  user:\n', '  user:\n    as: nobody\n'));
    const refused = await runKeelson(['install', '--kubeconfig', nobody], { cwd: projects.root });
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^keelson install: [^\n]*nobody[^\n]*; "keelson doctor" lists the rights that are missing\.\n$/,
    );
  });

  test('doctor says what is well, and what to do about the rest', async () => {
    const look = async (line = 'doctor', given: Parameters<typeof runKeelson>[1] = {}) => {
      const { code, out } = await run(`${line} --output json`, given);
      const findings = JSON.parse(out) as readonly { check: string; status: string; text: string; next?: string }[];
      return { code, of: (check: string) => findings.filter((each) => each.check === check), findings };
    };
    await run('uninstall --yes');
    const without = await look();
    assert.equal(without.code, 1);
    assert.deepEqual(without.of('definition'), [
      { check: 'definition', status: 'failed', text: `${name} is not installed`, next: '"keelson install" does that' },
    ]);
    await run('install');
    const well = await look();
    assert.deepEqual([well.code, well.findings.filter(({ status }) => status !== 'ok')], [0, []]);
    assert.deepEqual(
      well.findings.map(({ check }) => check),
      ['node', 'operator', 'certificate', 'certificate', 'certificate', 'cluster', 'version', 'definition', 'rights'],
    );
    const changed = await look('doctor', { cwd: join(projects.root, 'changed') });
    assert.equal(changed.code, 1);
    assert.match(
      changed.of('definition')[0]?.text ?? '',
      /^websites\.commands\.test differs from what the operator defines: spec\.versions\[v1\]\.schema\.openAPIV3Schema\.properties\.spec/,
    );
    assert.equal((await look()).code, 0, 'it has changed nothing');
    const seven = Array.from({ length: 7 }, (_, i) => `f${i}: z.string().optional()`).join(', ');
    await projects.write('wide/package.json', websiteManifest);
    await projects.write('wide/src/operator.ts', websiteSource({ group: 'commands.test', fields: seven }));
    const wide = await look('doctor', { cwd: join(projects.root, 'wide') });
    assert.match(wide.of('definition')[0]?.text ?? '', /: (spec\.\S+, ){4}spec\.\S+ and 2 more$/);
    const rule: PolicyRule = {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get'],
    };
    await applyAccount(client, { namespace: 'default', name: 'reader', rules: [rule] });
    const as = '  user:\n    as: system:serviceaccount:default:reader\n';
    const reading = await projects.write('reading', text.replace('  user:\n', as));
    const { out: read } = await runKeelson(['doctor', '--kubeconfig', reading], { cwd: projects.root });
    assert.match(
      read,
      /^warning {2}definition {4}websites\.commands\.test is installed; whether it is as defined only/m,
    );
    const nobody = await projects.write('nobody', text.replace('  user:\n', '  user:\n    as: nobody\n'));
    const refused = await runKeelson(['doctor', '--kubeconfig', nobody], { cwd: projects.root });
    assert.equal(refused.code, 1);
    assert.match(
      refused.out,
      /^failed {3}rights {8}missing: apiGroups: \["commands\.test"\], resources: \["websites"\], verbs: \["get","list","watch"\]\n {23}Grant it, or take another user; "keelson explain" says what needs it\.$/m,
    );
    const lost = await runKeelson(['doctor', '--kubeconfig', 'none'], { cwd: join(projects.root, '..') });
    assert.equal(lost.code, 1);
    assert.match(
      lost.out,
      /^failed {3}operator {6}no package\.json is in .*\nfailed {3}cluster {7}\S+none: cannot be read: there is no such file/m,
    );
  });

  test('doctor asks for the rights in the namespaces that package.json names, and in no others', async () => {
    const manifest = websiteManifest.replace('} }', ', "namespaces": ["blue"] } }');
    await projects.write('narrow/package.json', manifest);
    await projects.write('narrow/src/operator.ts', websiteSource({ group: 'commands.test' }));
    const nobody = await projects.write('nobody', text.replace('  user:\n', '  user:\n    as: nobody\n'));
    const { out } = await runKeelson(['doctor', '--kubeconfig', nobody], { cwd: join(projects.root, 'narrow') });
    const missing = out.split('\n').filter((line) => line.includes('"configmaps"'));
    assert.equal(missing.length, 1);
    assert.match(missing[0] ?? '', /blue/);
  });

  test('doctor finds the certificate that ends first, asks for the name of the server, and says what it skips', async () => {
    const config = await loadConfig({ kubeconfig, env: {} });
    const pemOf = (material: Material | undefined) => (material?.type === 'data' ? material.pem.reveal() : '');
    const { clientCertificate } = config.tls;
    const both = rootCertificates.slice(0, 2);
    const ends = both.map((pem) => Date.parse(new X509Certificate(pem).validTo));
    assert.notEqual(ends[0], ends[1]);
    const names: string[] = [];
    const shown = createTlsServer({
      key: pemOf(clientCertificate?.key),
      cert: pemOf(clientCertificate?.certificate),
      SNICallback(servername, answer) {
        names.push(servername);
        answer(null);
      },
    });
    shown.listen(0, '127.0.0.1');
    await once(shown, 'listening');
    const { port } = shown.address() as AddressInfo;
    const look = (tls: Partial<ClusterConfig['tls']>, more: Partial<ClusterConfig> = {}) =>
      certificateFindings({
        ...config,
        server: `https://127.0.0.1:${port}`,
        ...more,
        tls: { insecureSkipVerify: false, ...tls },
      });
    const first = timestamp(Math.min(...ends));
    for (const pems of [both, both.toReversed()]) {
      const [bundle] = await look({ ca: { type: 'data', pem: new Secret(pems.join('\n')) } });
      assert.match(bundle?.text ?? '', new RegExp(`^the certificate authority of the cluster .* ${first}$`));
    }
    assert.deepEqual(names, []);
    await look({ serverName: 'kubernetes.example' });
    const path = await projects.write('both.pem', both.join('\n'));
    const [file] = await look({ ca: { type: 'file', path } }, { server: `https://localhost:${port}` });
    assert.match(file?.text ?? '', new RegExp(` ${first}$`));
    assert.deepEqual(names, ['kubernetes.example', 'localhost']);
    shown.close();
    const proxied = await look({ ca: { type: 'file', path: 'none' } }, { proxyUrl: new Secret('http://127.0.0.1:1') });
    assert.deepEqual(
      proxied.map((each) => each.text.split(':')[0]),
      [
        'the certificate authority of the cluster cannot be read',
        'the certificate of the API server is not looked at, since a proxy stands between',
      ],
    );
  });

  test('flags for the operator do not lead to another cluster, and only the engine has a --help without one', async () => {
    const far = await projects.write('far', text.replace(server, 'https://prod.invalid:6443'));
    for (const command of ['run', 'dev']) {
      for (const [flag, ...rest] of [
        ['--kubeconfig', far],
        [`--kubeconfig=${far}`],
        ['--context', 'x'],
        ['--context=x'],
      ]) {
        const refused = await runKeelson([command, '--kubeconfig', kubeconfig, '--', flag ?? '', ...rest], {
          cwd: projects.root,
        });
        const name = flag?.split('=')[0];
        assert.deepEqual(refused, {
          code: 2,
          out: '',
          err: `keelson ${command}: ${name} says which cluster, and stands after --; put it before the --.\n`,
        });
      }
    }
    const cwd = await writeProgram('helpless', 'process.exit(3);');
    const help = await runKeelson(['run', '--kubeconfig', far, '--', '--help'], { cwd });
    assert.deepEqual([help.code, help.out], [1, '']);
    assert.match(help.err, /^keelson run: .* which is not on this machine; name it/);
  });

  test('dev stays in the context that it began in, whatever becomes the current one', async () => {
    const both = `${text}current-context: keelson\n`.replace(/^current-context: .*\n/m, '');
    const moving = await projects.write('moving', both);
    const seen = join(projects.root, 'seen');
    const cwd = await writeProgram(
      'pinned',
      `import { writeFileSync } from 'node:fs';
       import { loadConfig } from '@keelson/client';
       writeFileSync(${JSON.stringify(seen)}, (await loadConfig()).context);`,
    );
    const stop = new AbortController();
    const { code } = await runKeelson(['dev', '--kubeconfig', moving], {
      cwd,
      env: process.env,
      stopSignal: () => stop.signal,
      out(line) {
        // The check has been made, and the operator is not there yet.
        if (line.startsWith('Working on '))
          writeFileSync(moving, both.replace(/(current-context: ).*/, '$1production'));
      },
      err: (line) => line.includes('has ended') && stop.abort(),
    });
    assert.equal(code, 0);
    assert.equal(await readFile(seen, 'utf8'), 'keelson');
  });

  test('a program of an operator on the client alone is tethered to keelson run, which ends with its exit code', async () => {
    const cwd = await writeProgram('tethered', 'process.exit(process.connected ? 7 : 8);');
    assert.equal((await run('run', { cwd, env: process.env })).code, 7);
  });

  test('a program does not outlive a keelson run that is killed', async () => {
    const cwd = await writeProgram('orphan', "setInterval(() => {}, 1000); console.log('up');");
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const keelson = spawn(process.execPath, [main, 'run', '--kubeconfig', kubeconfig], { cwd, stdio: [...stdio] });
    await once(keelson.stdout, 'data');
    keelson.kill('SIGKILL');
    await once(keelson, 'close'); // that is when nobody has its standard output any more
  });

  test('a plan of kinds that are not installed says how to install them, and nothing else', async () => {
    await projects.write('planned/package.json', websiteManifest);
    await projects.write('planned/src/operator.ts', websiteSource({ group: 'planned.test' }));
    const { code, out, err } = await run('plan', { cwd: join(projects.root, 'planned') });
    const next = '"keelson install" does that, and there is nothing to plan until then';
    const text = `keelson plan: websites.planned.test is not installed on ${server}; ${next}.\n`;
    assert.deepEqual([code, out, err], [1, '', text]);
  });

  test('an operator without a program, and one without a plan, are told so', async () => {
    const declared =
      "{ name: 'bare', controllers: [{ for: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' } }] }";
    await projects.write('bare/package.json', websiteManifest);
    await projects.write('bare/src/operator.ts', `export const bare = ${declared};`);
    const bare = { cwd: join(projects.root, 'bare') };
    assert.match(
      (await run('run', bare)).err,
      /bare has no reconcile functions, and package\.json .*; add "keelson": \{ "main"/,
    );
    assert.match((await run('plan', bare)).err, /^keelson plan: bare is written on the client alone; a plan is what/);
    assert.equal((await run('install', bare)).out, 'bare defines no kinds: there is nothing to install.\n');
  });
});
