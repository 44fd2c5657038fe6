/**
 * OLM v0 itself: from the catalogue that `keelson bundle` writes it installs both operators into a namespace of
 * `restricted` pods, upgrades them by `replaces`, and takes them off again. On real Kubernetes their images are pulled
 * from a registry and they do their work, webhooks and conversion included; the pods of the embedded cluster only seem
 * to run.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import {
  availability,
  type Finished,
  type ImageRegistry,
  type Kubernetes,
  kubectlEnvironment,
  startKubernetes,
  startRegistry,
} from '@keelson/tools-kubernetes';
import { type Olm, startCatalogue, startOlm } from '../olm.ts';
import {
  type Asked,
  checkAudit,
  checkPods,
  everythingIn,
  kubectlIn,
  nothingLeft,
  replaceLeader,
} from '../operator-in-pods.ts';
import { runKeelson } from '../test-shell.ts';

const operators = fileURLToPath(new URL('../../../../operators', import.meta.url));
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const possible = await availability({ pods: true });
const skip = !possible.available && possible.reason;

const names = {
  memcached: {
    operator: 'memcached-operator',
    namespace: 'caches',
    metricsPort: 8080,
    // For all operators with webhooks, which might serve a part of the API themselves.
    boundUnasked: ['system:auth-delegator', 'extension-apiserver-authentication-reader'],
  },
  echo: { operator: 'echo-operator', namespace: 'echoes', metricsPort: 2112 },
} as const;
type Name = keyof typeof names;

/** Where OLM is to install it from, and to. */
const ground = ({ operator, namespace }: (typeof names)[Name], address: string) => `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace}, labels: { pod-security.kubernetes.io/enforce: restricted } }
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: { name: ${namespace}, namespace: ${namespace} }
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: { name: ${operator}, namespace: olm }
spec: { sourceType: grpc, address: '${address}' }
`;

/** What OLM is asked for. An Echo prints with what the node has. */
const subscription = ({ operator, namespace }: (typeof names)[Name]) => `
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: { name: ${operator}, namespace: ${namespace} }
spec:
  channel: stable
  name: ${operator}
  source: ${operator}
  sourceNamespace: olm
  config: { env: [{ name: ECHO_IMAGE, value: 'busybox:stable' }] }
`;

/**
 * What stays: definitions, what users made with what became of it, and their roles; and what OLM keeps for a definition
 * that it has installed and for a namespace with an OperatorGroup.
 */
const stays = new RegExp(
  [
    '^(CustomResourceDefinition|APIService) ',
    '\\sdefault\\s+(memcached-sample|hello-world)',
    '^ClusterRole .*\\s(memcacheds\\.cache\\.example\\.com|(scheduled)?echos\\.mmontes\\.io)-',
    '^ClusterRole .*\\solm\\.og\\.',
    '^Operator ',
  ].join('|'),
);

interface Place extends Asked {
  readonly kubeconfig: string;
  /** The image of this version, where the cluster can have it. */
  image(name: Name, version: string): Promise<string>;
  /** Present where the operators themselves run in the pods. */
  readonly kube?: Kubernetes;
}

function lifeOn(startPlace: (folder: string) => Promise<Place & AsyncDisposable>) {
  let folder: string;
  let place: Place & AsyncDisposable;
  let olm: Olm;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-olm-'));
    place = await startPlace(folder);
    olm = await startOlm(place.kubeconfig, place, folder);
  });
  after(async () => {
    await olm?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const kubectl = (...args: string[]) => kubectlIn(place, ...args);
  /** Ends when it holds; OLM looks again after a while when something was not there yet. */
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (const begun = systemClock.monotonic(); !(await holds()); await sleep(systemClock, 1000)) {
      if (systemClock.monotonic() - begun < 10 * 60_000) continue;
      const kinds = 'clusterserviceversions,installplans,subscriptions,catalogsources';
      const state = await kubectl('get', kinds, '--all-namespaces', '--output=yaml');
      assert.fail(`${what}: ${state.slice(-8000)}\n${await olm.log()}`);
    }
  };

  for (const name of Object.keys(names) as Name[]) {
    test(`installs, upgrades and removes the operator of ${name}`, async () => {
      const installed = names[name];
      const { operator, namespace } = installed;
      const there = ['--namespace', namespace];
      const told = async (what: string, path: string) =>
        (await kubectl('get', ...what.split(' '), ...there, '--output', `jsonpath=${path}`)).trim();
      // A copy of it is in every namespace.
      const phases = () =>
        told('csv --selector=!olm.copiedFrom', '{range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}');
      const image = () => told(`deployment/${operator}`, '{.spec.template.spec.containers[0].image}');
      const applies = async (text: string) => {
        const file = join(folder, `${name}.yaml`);
        await writeFile(file, text);
        // A definition that was just made is not yet known everywhere.
        await until('OLM is asked', async () => (await place.kubectl('apply', '--filename', file)).code === 0);
      };

      await using catalogue = await startCatalogue(name, join(folder, `offer-${name}`));
      const [first, second] = [await place.image(name, '0.1.0'), await place.image(name, '0.2.0')];
      await catalogue.offer('0.1.0', '--image', first);
      await applies(ground(installed, catalogue.address));
      const earlier = await everythingIn(place);
      await applies(subscription(installed));
      await until('it is installed', async () => (await phases()) === `${operator}.v0.1.0 Succeeded`);
      assert.equal(await image(), first);
      if (place.kube) {
        await works(1);
        await checkPods(place.kube, installed);
        await replaceLeader(place.kube, installed);
        await works(2);
      }

      await catalogue.offer('0.2.0', '--image', second, '--replaces', '0.1.0');
      await until('it is upgraded', async () => (await phases()) === `${operator}.v0.2.0 Succeeded`);
      assert.equal(await image(), second);
      if (place.kube) {
        await works(3);
        await checkAudit(place.kube, installed);
      }

      await kubectl('delete', 'subscription', operator, ...there);
      await kubectl('delete', 'csv', `${operator}.v0.2.0`, ...there);
      await nothingLeft(place, earlier, { stays });

      /** Whoever leads does its work: something that it was not asked for before. */
      async function works(size: number): Promise<void> {
        if (name === 'echo') {
          const echo = { apiVersion: 'mmontes.io/v1alpha1', kind: 'Echo', metadata: { name: `hello-world-${size}` } };
          await applies(JSON.stringify({ ...echo, spec: { message: 'hello' } }));
          await kubectl('wait', `echo/hello-world-${size}`, '--for=condition=Complete', '--timeout=600s');
          return;
        }
        const sample = { kind: 'Memcached', metadata: { name: 'memcached-sample' } };
        await applies(JSON.stringify({ apiVersion: 'cache.example.com/v1alpha1', ...sample, spec: { size } }));
        const ready = `--for=jsonpath={.status.readyReplicas}=${size}`;
        await until(
          'its Deployment',
          async () => (await place.kubectl('get', 'deployment/memcached-sample')).code === 0,
        );
        await kubectl('wait', 'deployment/memcached-sample', ready, '--timeout=600s');
        // Both webhooks answer: the one that converts, and the one that is asked before something is stored.
        const converted = 'memcacheds.v1.cache.example.com/memcached-sample';
        await kubectl('wait', converted, '--for=condition=Available', '--timeout=600s');
        const wrong = { size, image: 'memcached:1.5.12', config: { extraArgs: ['--enable-ssl'] } };
        const patch = ['--type=merge', '--patch', JSON.stringify({ spec: wrong })];
        const refused = await place.kubectl('patch', converted, ...patch);
        assert.match(refused.stderr, /TLS needs memcached 1\.5\.13 or newer/);
      }
    });
  }
}

describe('OLM on real Kubernetes, in real pods', { skip }, () => {
  lifeOn(async () => {
    const stack = new AsyncDisposables();
    const registry: ImageRegistry = stack.use(await startRegistry());
    const kube = stack.use(await startKubernetes({ pods: true, auditLog: true }));
    stack.use(await kube.pullFrom(registry.host));
    const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
    return {
      kube,
      kubeconfig: kube.kubeconfig,
      kubectl: kube.kubectl,
      async image(name, version) {
        const image = `${registry.host}/keelson/${names[name].operator}:${version}`;
        const flags = ['--base', 'packages', '--platform', platform, '--plain-http', registry.host];
        const cwd = join(operators, name);
        const { code, err } = await runKeelson(['image', 'push', ...flags, image], { cwd, env: process.env });
        assert.equal(code, 0, err);
        return image;
      },
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  });
});

describe('OLM on the embedded cluster', { skip }, () => {
  lifeOn(async (folder) => {
    const kubeconfig = join(folder, 'embedded');
    const cluster = spawn(process.execPath, [main, 'cluster', 'start', '--write-kubeconfig', kubeconfig]);
    await once(cluster.stdout, 'data');
    const env = await kubectlEnvironment(kubeconfig);
    return {
      kubeconfig,
      kubectl: (...args) =>
        new Promise<Finished>((resolve) => {
          execFile('kubectl', args, { env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : 1, stdout, stderr }),
          );
        }),
      image: async (name, version) => `${names[name].operator}:${version}`,
      async [Symbol.asyncDispose]() {
        const ended = once(cluster, 'exit');
        cluster.kill();
        await ended;
      },
    };
  });
});

/** Disposes of what it was given, the last first. */
class AsyncDisposables implements AsyncDisposable {
  readonly #all: AsyncDisposable[] = [];
  use<T extends AsyncDisposable>(each: T): T {
    this.#all.unshift(each);
    return each;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#all) await each[Symbol.asyncDispose]();
  }
}
