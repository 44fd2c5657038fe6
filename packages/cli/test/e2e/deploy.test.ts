/**
 * Operators in the pods of a real cluster: built, pushed to a registry on loopback, pulled by containerd and deployed by
 * `keelson deploy`. Beside them, why pods do not start, in the words of the cluster itself.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import {
  availability,
  type ImageRegistry,
  type Kubernetes,
  peerProgram,
  startKubernetes,
  startRegistry,
} from '@keelson/tools-kubernetes';
import {
  checkAudit,
  checkPods,
  everythingIn,
  kubectlIn,
  nothingLeft,
  replaceLeader,
  until,
} from '../operator-in-pods.ts';
import { websiteManifest, websiteSource } from '../projects.ts';
import { runKeelson } from '../test-shell.ts';

const operators = fileURLToPath(new URL('../../../../operators', import.meta.url));
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
const execute = promisify(execFile);
const possible = await availability({ pods: true });

describe('in the pods of a real cluster', { skip: !possible.available && possible.reason }, () => {
  let folder: string;
  let kube: Kubernetes;
  let registry: ImageRegistry;
  let pulls: AsyncDisposable;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-deploy-test-'));
    await symlink(join(operators, '../node_modules'), join(folder, 'node_modules'));
    registry = await startRegistry();
    kube = await startKubernetes({ pods: true, auditLog: true });
    pulls = await kube.pullFrom(registry.host);
  });
  after(async () => {
    await pulls?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const kubectl = (...args: string[]) => kubectlIn(kube, ...args);
  const keelson = (cwd: string, ...argv: string[]) =>
    runKeelson([...argv, '--kubeconfig', kube.kubeconfig, '--context', 'keelson'], { cwd, env: kube.env });
  /** The same, stopped as by Ctrl-C when it says something. */
  const keelsonUntil = async (words: RegExp, cwd: string, ...argv: string[]) => {
    const stop = new AbortController();
    const err = (text: string) => void (words.test(text) && stop.abort());
    const flags = ['--kubeconfig', kube.kubeconfig, '--context', 'keelson'];
    return await runKeelson([...argv, ...flags], { cwd, env: kube.env, err, stopSignal: () => stop.signal });
  };
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const copyOf = async (operator: string, place = '') => {
    const to = join(folder, place, operator);
    await cp(join(operators, operator), to, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
    return to;
  };
  const building = ['--base', 'packages', '--platform', platform];
  const deployBuilt = (cwd: string, name: string) =>
    keelson(
      cwd,
      'deploy',
      '--image',
      `${registry.host}/keelson/${name}:dev`,
      '--build',
      ...building,
      '--plain-http',
      registry.host,
      '--timeout',
      '300',
    );

  test('a registry gets an image once, an interrupted push is finished, and a changed line sends what is new', async () => {
    const project = await copyOf('memcached');
    const image = `${registry.host}/a/memcached:1`;
    const plain = ['--plain-http', registry.host];
    const push = (flags: readonly string[], to = image, more: Parameters<typeof runKeelson>[1] = {}) =>
      runKeelson(['image', 'push', ...building, ...flags, to], { cwd: project, env: process.env, ...more });

    const stop = new AbortController();
    let told = '';
    const stopped = await push(plain, image, {
      stopSignal: () => stop.signal,
      err(text) {
        told += text;
        if (text.includes('blob 3 of 7')) stop.abort();
      },
    });
    assert.equal(stopped.code, 1);
    assert.match(
      told,
      /keelson image push: it was stopped; call again: what was made and sent is not made or sent again/,
    );
    const first = JSON.parse((await push([...plain, '--output', 'json'])).out);
    assert.equal(first.sent.blobs + first.known, 7);
    assert.ok(first.known >= 2, 'what was sent before is not sent again');
    assert.deepEqual(
      first.platforms.map((each: { readonly platform: string }) => each.platform),
      [platform],
    );
    assert.ok(first.platforms[0].bytes < 60e6);
    const again = await push(plain);
    assert.match(again.out, new RegExp(`to pull; 0 blobs sent, 0 kB; 7 were there\n${first.digest}\n$`));

    const source = join(project, 'src/reconcile.ts');
    await writeFile(source, (await readFile(source, 'utf8')).replace('Detected a drift', 'Detected drift'));
    assert.match((await push(plain)).out, / 2 blobs sent, \d{1,3} kB; 5 were there/);
    const encrypted = await push([]);
    assert.equal(encrypted.code, 1);
    assert.match(encrypted.err, /speaks no TLS; if that is meant, say --plain-http 127/);
    const crane = await execute(await peerProgram('crane'), ['validate', '--remote', image]);
    assert.match(crane.stderr + crane.stdout, /PASS: /);
  });

  test('the same project in another folder, with nothing kept from before, is the same image', async () => {
    const digests = await Promise.all(
      ['one', 'two'].map(async (place) => {
        const project = await copyOf('echo', join(place, 'deep'));
        const base = ['--base', `${registry.host}/a/memcached:1`, '--plain-http', registry.host];
        const { code, out, err } = await runKeelson(['image', 'build', ...base, '--platform', platform], {
          cwd: project,
          env: { ...process.env, XDG_CACHE_HOME: join(folder, place, 'cache') },
        });
        assert.equal(code, 0, err);
        return out.split('\n').at(-2);
      }),
    );
    assert.match(digests[0] ?? '', /^sha256:/);
    assert.equal(digests[1], digests[0]);
  });

  test('both operators work from their images under their own accounts, and are taken off again', async () => {
    const echo = await echoIn('echoes');
    const memcached = join(operators, 'memcached');
    await kubectl('create', 'namespace', 'echoes');
    await kubectl('label', 'namespace', 'echoes', 'pod-security.kubernetes.io/enforce=restricted');
    const unlisted = /^memcacheds\b/; // nobody converts them in the end
    const earlier = await everythingIn(kube, unlisted);

    const [first, second] = await Promise.all([
      deployBuilt(memcached, 'memcached-operator'),
      deployBuilt(echo, 'echo-operator'),
    ]);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /its 2 pods are ready/);
    assert.equal(second.code, 0, second.err);
    assert.match(second.out, /^kept {7}Namespace echoes$/m);
    assert.match(second.out, /echo-operator runs 127\.0\.0\.1:\d+\/keelson\/echo-operator:dev@sha256:\w{64} in echoes/);

    await kubectl('apply', '-f', join(memcached, 'config/samples/cache_v1alpha1_memcached.yaml'));
    await kubectl('apply', '-f', join(echo, 'config/samples/mmontes_v1alpha1_echo.yaml'));
    await kubectl('wait', 'memcached', '--all', '--for=condition=Available', '--timeout=300s');
    await kubectl('wait', 'echo', '--all', '--for=condition=Complete', '--timeout=300s');

    const places = [
      { operator: 'memcached-operator', namespace: 'memcached-operator-system', metricsPort: 8080 },
      { operator: 'echo-operator', namespace: 'echoes', metricsPort: 2112 },
    ];
    await Promise.all(places.map((place) => checkPods(kube, place)));
    await Promise.all(places.map((place) => replaceLeader(kube, place)));

    // Whoever leads now goes on with the work.
    await kubectl('patch', 'memcached', 'memcached-sample', '--type=merge', '--patch={"spec":{"size":1}}');
    await kube.apply(echoNamed('after'));
    await kubectl('wait', 'echo/after', '--for=condition=Complete', '--timeout=300s');
    await until('one server', async () => {
      const args = ['deployments', '--selector', 'app.kubernetes.io/name=memcached', '--output'];
      return (await kubectl('get', ...args, 'jsonpath={.items[*].status.replicas}')) === '1';
    });
    for (const place of places) await checkAudit(kube, place);

    const kept = await keelson(memcached, 'undeploy', '--timeout', '300');
    assert.equal(kept.code, 0, kept.err);
    assert.match(kept.out, /^kept {7}CustomResourceDefinition memcacheds\.cache\.example\.com with 1 object/m);
    assert.match(kept.out, /^deleted {4}Lease memcached-operator-system\/memcached-operator$/m);
    assert.equal((await keelson(echo, 'undeploy', '--timeout', '300')).code, 0);

    // The other way to run one: on this machine, with the rights of whoever starts it.
    await onThisMachine(echo, async () => {
      await kube.apply(echoNamed('from-here'));
      await kubectl('wait', 'echo/from-here', '--for=condition=Complete', '--timeout=300s');
    });
    const all = await keelson(echo, 'undeploy', '--definitions', '--yes', '--timeout', '300');
    assert.match(all.out, /^deleted {4}CustomResourceDefinition echos\.mmontes\.io with 3 objects$/m);

    const stays = /\smemcached-sample|^(CustomResourceDefinition|APIService) .*\.cache\.example\.com$/;
    await nothingLeft(kube, earlier, { stays, unlisted });
    const version = ['--output', 'jsonpath={.spec.versions[?(@.storage==true)].name}'];
    const stored = await kubectl('get', 'crd', 'memcacheds.cache.example.com', ...version);
    assert.match(await kubectl('get', '--raw', `/apis/cache.example.com/${stored}/memcacheds`), /memcached-sample/);
  });

  test('why pods do not start is told as the cluster has it', async () => {
    const cases = [
      { name: 'unpulled', image: `${registry.host}/no/such:1`, told: /cannot pull \S+ \(not found\); push it first/ },
      { name: 'rooted', image: 'busybox:stable', told: /cannot be started: .*runAsNonRoot and image will run as root/ },
      { name: 'refused', quota: true, told: /no pod can be made: .*exceeded quota: none/ },
      { name: 'insecure', patch: 'hostNetwork: true', told: /no pod can be made: .*violates PodSecurity "restricted/ },
      {
        name: 'homeless',
        patch: 'nodeSelector: { moon: "1" }',
        told: /finds no node: 0\/1 nodes are available/,
        isWaiting: true,
      },
      { name: 'crashing', args: '[--nonsense]', told: /has ended \w+( \w+)? \(exit code \d+\)/, log: /--nonsense/ },
      {
        name: 'unready',
        told: /runs and is not ready: Readiness probe failed: .*statuscode: 500/,
        log: /"level"/,
        isWaiting: true,
      },
    ];
    const all = cases.map(async ({ name, image, quota, patch, args, told, log, isWaiting = false }) => {
      const container = args === undefined ? '' : `, containers: [{ name: manager, args: ${args} }]`;
      await write(`${name}/package.json`, websiteManifest);
      const source = websiteSource({ group: `${name}.test` });
      await write(`${name}/src/operator.ts`, source.replace("name: 'website'", `name: '${name}'`));
      const cwd = join(folder, name);
      if (patch !== undefined || args !== undefined) {
        assert.equal((await runKeelson(['generate'], { cwd })).code, 0);
        const file = join(cwd, 'config/default/kustomization.yaml');
        const object = `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: ${name}, namespace: ${name}-system }`;
        const pod = `${patch ?? 'enableServiceLinks: false'}${container}`;
        const text = `patches:\n- patch: '${object}, spec: { template: { spec: { ${pod} } } } }'\n`;
        await writeFile(file, `${await readFile(file, 'utf8')}${text}`);
      }
      if (quota) {
        await kubectl('create', 'namespace', `${name}-system`);
        const there = ['--namespace', `${name}-system`];
        await kubectl('create', 'quota', 'none', '--hard=pods=0', ...there);
        // Before it is counted, pods are refused in other words.
        await kubectl('wait', 'quota/none', '--for=jsonpath={.status.hard.pods}=0', ...there, '--timeout=300s');
      }
      // What runs there is the Memcached operator, with the rights of another: it never gets ready.
      const reference = image ?? `${registry.host}/a/memcached:1`;
      const argv = ['deploy', '--image', reference, '--timeout'];
      // What may go away by itself is waited for: until it is seen, and then no longer.
      if (isWaiting) await keelsonUntil(told, cwd, ...argv, '300');
      const words = new RegExp(`keelson deploy: ${name} is not ready: (.*)${told.source}`);
      let { code, err } = await keelson(cwd, ...argv, isWaiting ? '1' : '300');
      // On a busy machine a probe may also be given up, which is the last that is known until the next one.
      using limit = deadline(systemClock, 300_000, name);
      while (isWaiting && !words.test(err) && !limit.signal.aborted) ({ code, err } = await keelson(cwd, ...argv, '1'));
      assert.equal(code, 1, `${name}: ${err}`);
      assert.match(err, words, name);
      if (log) assert.match(err, new RegExp(`^ {4}.*${log.source}`, 'm'), name);
    });
    await Promise.all(all);
  });

  /** Echo's own project with a namespace of the user's and a patch: the node has another image to print with. */
  async function echoIn(namespace: string): Promise<string> {
    const project = await copyOf('echo');
    const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    manifest.keelson.namespace = namespace;
    await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
    const file = join(project, 'config/default/kustomization.yaml');
    const patch = `patches:
- target: { kind: Deployment }
  patch: |-
    - { op: add, path: /spec/template/spec/containers/0/env/-, value: { name: ECHO_IMAGE, value: "busybox:stable" } }
`;
    await writeFile(file, `${await readFile(file, 'utf8')}${patch}`);
    assert.equal((await runKeelson(['generate'], { cwd: project })).code, 0);
    return project;
  }

  const echoNamed = (name: string) =>
    `apiVersion: mmontes.io/v1alpha1\nkind: Echo\nmetadata: { name: ${name} }\nspec: { message: hello }\n`;

  /** Runs while the operator does, in a process of its own. */
  async function onThisMachine(cwd: string, act: () => Promise<void>): Promise<void> {
    const argv = ['run', '--kubeconfig', kube.kubeconfig, '--context', 'keelson'];
    const env = { ...process.env, ECHO_IMAGE: 'busybox:stable', HEALTH_PORT: '0', METRICS_ENABLED: 'false' };
    const child = spawn(process.execPath, [main, ...argv], { cwd, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      await act();
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }
});
