/**
 * Both operators by Helm in the pods of a real cluster: built, pushed to a registry on loopback, pulled by containerd,
 * and installed from their checked-in charts into namespaces that enforce `restricted`.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ImageRegistry, type Kubernetes, startKubernetes, startRegistry } from '@keelson/tools-kubernetes';
import { checkAudit, checkPods, everythingIn, nothingLeft, replaceLeader, until } from '../../operator-in-pods.ts';
import { runKeelson } from '../../test-shell.ts';
import { chartOf, missing, names, operators, type Place, placeOf, restricted, set, waiting } from './helm-program.ts';

interface Case {
  readonly operator: keyof typeof names;
  readonly metricsPort: number;
  /** How many replicas the chart has by itself. */
  readonly replicas: number;
  /** What this node needs: another image to print with. */
  readonly values: readonly string[];
  /** A change that has to reach the process. */
  readonly change: string;
  readonly sample: string;
  readonly done: string;
  /** One more object, in the version that has to be converted if there are two. */
  another(name: string): object;
  /** What was asked to stay: the definitions, and what users made. */
  readonly stays: RegExp;
  /** What nobody can list when the operator is gone. */
  readonly unlisted?: RegExp;
}

const cases: readonly Case[] = [
  {
    operator: 'memcached',
    metricsPort: 8080,
    replicas: 2,
    values: [],
    change: 'logLevel=debug',
    sample: 'cache_v1alpha1_memcached.yaml',
    done: 'Available',
    another: (name) => ({
      apiVersion: 'cache.example.com/v1alpha1',
      kind: 'Memcached',
      metadata: { name, namespace: 'default' },
      spec: { size: 1 },
    }),
    stays: /\s(memcached-sample|another-)|^(CustomResourceDefinition|APIService) .*\.cache\.example\.com$/,
    unlisted: /^memcacheds\b/,
  },
  {
    operator: 'echo',
    metricsPort: 2112,
    replicas: 3,
    values: ['echoImage=busybox:stable'],
    change: 'numWorkers=2',
    sample: 'mmontes_v1alpha1_echo.yaml',
    done: 'Complete',
    another: (name) => ({
      apiVersion: 'mmontes.io/v1alpha1',
      kind: 'Echo',
      metadata: { name, namespace: 'default' },
      spec: { message: 'hello' },
    }),
    stays: /\s(hello-world|another-)|^(CustomResourceDefinition|APIService) .*\.mmontes\.io$/,
  },
];

describe('by Helm, in the pods of a real cluster', { skip: await missing({ pods: true }) }, () => {
  let kube: Kubernetes;
  let registry: ImageRegistry;
  let pulls: AsyncDisposable;
  let place: Place;
  before(async () => {
    registry = await startRegistry();
    kube = await startKubernetes({ pods: true, auditLog: true });
    pulls = await kube.pullFrom(registry.host);
    place = placeOf(kube.kubeconfig, kube.env);
  });
  after(async () => {
    await pulls?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
  });

  for (const each of cases) {
    const { operator, metricsPort, replicas, change, sample, done, another, stays, unlisted } = each;
    const { release, namespace } = names[operator];
    const there = ['--namespace', namespace];
    const read = (what: string, path: string) =>
      place.kubectl('get', ...what.split(' '), ...there, '--output', `jsonpath={${path}}`);
    const template = () => read(`deployment ${release}`, '.spec.template');
    /** On a busy machine a webhook may miss the time that the API server gives it: whoever asks then asks again. */
    const asked = (args: readonly string[], input?: string) =>
      until(`kubectl ${args.join(' ')}`, async () => (await place.tryKubectl(args, input)).code === 0);
    const isDone = (which: string) => asked(['wait', operator, which, `--for=condition=${done}`, '--timeout=10m']);
    const works = async (name: string) => {
      await asked(['apply', '-f', '-'], JSON.stringify(another(name)));
      await isDone(name);
    };
    /** What the operator made for itself and wrote into what the chart has, which no change of the release may touch. */
    const certificates = async () =>
      operator === 'echo'
        ? []
        : [
            await read(`secret ${release}-webhook-certificate`, '.data'),
            await read('crd memcacheds.cache.example.com', '.spec.conversion.webhook.clientConfig.caBundle'),
          ];

    test(`${operator}: it is installed and works under its own account, is replaced, upgraded and rolled back, and nothing stays but what was asked to`, async () => {
      const image = `${registry.host}/keelson/${release}`;
      const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
      const flags = ['--base', 'packages', '--platform', platform, '--plain-http', registry.host];
      const pushed = await runKeelson(['image', 'push', ...flags, `${image}:dev`], {
        cwd: join(operators, operator),
        env: process.env,
      });
      assert.equal(pushed.code, 0, pushed.err);
      const values = set([...each.values, `image.repository=${image},image.tag=dev`]);
      const what = [release, chartOf(operator), ...there, ...waiting];
      await place.apply(restricted(namespace));
      const before = await everythingIn(kube, unlisted);

      await place.helm('install', ...what, ...values);
      await asked(['apply', '-f', join(operators, operator, 'config/samples', sample)]);
      await isDone('--all');
      const installed = { operator: release, namespace, metricsPort, replicas };
      await checkPods(kube, installed);
      await replaceLeader(kube, installed);
      await works('another-leader');

      const [first, made] = [await template(), await certificates()];
      await place.helm('upgrade', ...what, ...values, ...set([change]));
      assert.notEqual(await template(), first, 'the pods are rolled');
      assert.deepEqual(await certificates(), made);
      await works('another-revision');
      await place.helm('rollback', release, '1', ...there, ...waiting);
      assert.equal(await template(), first);
      assert.deepEqual(await certificates(), made);
      assert.match(await place.helm('history', release, ...there), /Rollback to 1/);
      await works('another-again');
      await checkAudit(kube, installed);

      await place.helm('uninstall', release, ...there, ...waiting);
      await nothingLeft(kube, before, { stays, ...(unlisted && { unlisted }) });
      const crds = await place.kubectl('get', 'crd', '--output', 'name');
      assert.match(crds, operator === 'echo' ? /echos\.mmontes\.io/ : /memcacheds\.cache\.example\.com/);
    });
  }
});
