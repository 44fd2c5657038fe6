/**
 * The charts of both operators with Helm itself: what they render, and their life on a real cluster with real pods and on
 * the embedded one.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Cluster, createCluster } from '@keelson/cluster';
import {
  availability,
  type Kubernetes,
  kubectlEnvironment,
  peerProgram,
  startKubernetes,
  startRegistry,
} from '@keelson/tools-kubernetes';
import { parseAllDocuments } from 'yaml';
import { monitoringDefinitions, monitoringKinds } from '../monitoring-definitions.ts';
import { runKeelson } from '../test-shell.ts';

const operators = fileURLToPath(new URL('../../../../operators', import.meta.url));
const chartOf = (operator: string) => join(operators, operator, 'chart');
const folder = await mkdtemp(join(tmpdir(), 'keelson-helm-test-'));
after(() => rm(folder, { recursive: true, force: true }));

const possible = await availability({ pods: true });
const skip = !possible.available && possible.reason;
const program = skip ? '' : await peerProgram('helm');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; Helm keeps what it remembers in the folder of this test. */
const run = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  input?: string,
) =>
  new Promise<Ran>((resolve) => {
    const helmHome = { HOME: folder, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined };
    const options = { env: { ...process.env, ...helmHome, ...env }, maxBuffer: 1e8 };
    const child = execFile(command, args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, out, err }),
    );
    child.stdin?.end(input ?? '');
  });

async function well(ran: Promise<Ran>, what: string): Promise<string> {
  const { code, out, err } = await ran;
  assert.equal(code, 0, `${what}: ${err}${out}`);
  return out;
}

const helmOffline = (...args: string[]) => well(run(program, args), `helm ${args.join(' ')}`);

interface Json extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const objectsIn = (text: string): readonly Json[] =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as Json | null) ?? []);

const names = {
  memcached: { release: 'memcached-operator', namespace: 'memcached-operator-system' },
  echo: { release: 'echo-operator', namespace: 'echo-operator-system' },
} as const;

/** Ten ways to install each: as values on the command line. */
const common: readonly (readonly string[])[] = [
  [],
  ['ha.enabled=false'],
  ['ha.replicaCount=5,podDisruptionBudget.maxUnavailable=20%,podDisruptionBudget.enabled=true'],
  ['image.repository=registry.example.com:5000/a/b,image.tag=v2,image.pullPolicy=Always,imagePullSecrets[0].name=pull'],
  [`image.digest=sha256:${'a'.repeat(64)}`, 'crds.install=false', 'userRoles.create=false'],
  ['monitoring.enabled=false,networkPolicy.enabled=false'],
  [
    'monitoring.dashboard=true,monitoring.namespace=monitoring,monitoring.labels.release=prometheus,monitoring.interval=15s',
  ],
  [
    'nodeSelector.disk=ssd,tolerations[0].key=a,tolerations[0].operator=Exists,priorityClassName=system-cluster-critical',
    'podLabels.team=a,podAnnotations.note=b',
    'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution=null',
  ],
  [
    'serviceAccount.name=other,serviceAccount.annotations.a=b,crds.keep=false,logLevel=debug,resources=null,topologySpreadConstraints=null',
  ],
];
const tenth = {
  memcached: [
    'rbac.namespaces={blue,green,memcached-operator-system}',
    'extraArgs={--log-causes}',
    'monitoring.port=9090',
  ],
  echo: [
    'numWorkers=1,env=local,ha.leaderElection.leaseDurationSeconds=60',
    'monitoring.path=/m',
    'extraEnv[0].name=A,extraEnv[0].value=b',
  ],
} as const;

const set = (values: readonly string[]) => values.flatMap((each) => ['--set', each]);

describe('charts as Helm sees them', { skip }, () => {
  for (const [operator, { namespace }] of Object.entries(names)) {
    test(`${operator}: lint finds nothing, and what is rendered is what the manifests install`, async () => {
      await helmOffline('lint', '--strict', chartOf(operator));
      const rendered = objectsIn(await helmOffline('template', 'release', chartOf(operator), '--namespace', namespace));
      const manifests = objectsIn(await readFile(join(operators, operator, 'dist/install.yaml'), 'utf8'));
      const key = ({ kind, metadata }: Json) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
      // What the chart tells the process by values stands in its arguments and in a ConfigMap of its own.
      const told = new Set(['Deployment', 'ConfigMap']);
      const comparable = (objects: readonly Json[]) =>
        Object.fromEntries(
          objects
            .filter(({ kind }) => !told.has(kind) && kind !== 'Namespace')
            .map((object) => {
              const {
                labels,
                annotations: _,
                ...metadata
              } = object.metadata as Json['metadata'] & { annotations?: object };
              const own = Object.entries(labels ?? {}).filter(([name]) => !/^helm|instance$|managed-by$/.test(name));
              return [
                key(object).replace(/-own$/, ''),
                {
                  ...object,
                  metadata: { ...metadata, name: metadata.name.replace(/-own$/, ''), labels: Object.fromEntries(own) },
                },
              ];
            }),
        );
      const withoutOwn = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll('operator-own"', 'operator"'));
      assert.deepEqual(withoutOwn(comparable(rendered)), withoutOwn(comparable(manifests)));
      const pods = (objects: readonly Json[]) => objects.filter(({ kind }) => kind === 'Deployment').map(key);
      assert.deepEqual(pods(rendered), pods(manifests));
    });

    test(`${operator}: values that cannot be are refused by name`, async () => {
      for (const [wrong, words] of [
        ['imgae.tag=1', /imgae/],
        ['ha.replicaCount=many', /replicaCount/],
        ['image.pullPolicy=Sometimes', /pullPolicy/],
        ['crds.keep=perhaps', /keep/],
      ] as const) {
        const { code, err } = await run(program, ['template', 'x', chartOf(operator), '--set', wrong]);
        assert.equal(code, 1, wrong);
        assert.match(err, words);
      }
    });

    test(`${operator}: Prometheus reads every expression of the alerts and the dashboard`, async () => {
      const config = join(operators, operator, 'config/prometheus');
      const [rule] = objectsIn(await readFile(join(config, 'prometheus_rule.yaml'), 'utf8'));
      assert.ok(rule);
      const { groups } = rule.spec as { groups: readonly { rules: readonly { expr: string }[] }[] };
      const { panels } = JSON.parse(await readFile(join(config, 'dashboard.json'), 'utf8')) as {
        panels: readonly { targets: readonly { expr: string }[] }[];
      };
      const expressions = [
        ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
        ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'))),
      ];
      const answers = await well(run(await peerProgram('promql'), [], {}, `${expressions.join('\n')}\n`), 'promql');
      const found = answers.trimEnd().split('\n');
      assert.deepEqual(
        found.filter((line) => line.startsWith('error:')),
        [],
      );
      // What the tests of both operators look for by a pattern are the metrics that Prometheus sees.
      const byPattern = expressions.map((each) =>
        [...each.matchAll(/([a-z_]+)\{job=/g)].map(([, name]) => name).join(' '),
      );
      assert.deepEqual(found, byPattern);
    });
  }

  test('a folder that anything serves is a repository, and a registry has the same bytes', async () => {
    const cwd = join(operators, 'echo');
    const to = join(folder, 'charts');
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    const packed = await runKeelson(['chart', 'package', '--to', to], { cwd, env });
    assert.equal(packed.code, 0, packed.err);
    const server = createServer((request, response) => {
      readFile(join(to, basename(request.url ?? ''))).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await helmOffline('repo', 'add', 'ours', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      assert.match(
        await helmOffline('search', 'repo', 'ours/', '--devel', '--versions'),
        /ours\/echo-operator\s+0\.0\.0/,
      );
      await mkdir(join(folder, 'by-folder'));
      await helmOffline('pull', 'ours/echo-operator', '--devel', '--destination', join(folder, 'by-folder'));
    } finally {
      server.close();
      server.closeAllConnections();
    }
    await using registry = await startRegistry();
    const args = ['chart', 'push', `oci://${registry.host}/charts`, '--plain-http', registry.host];
    const pushed = await runKeelson(args, { cwd, env });
    assert.equal(pushed.code, 0, pushed.err);
    await mkdir(join(folder, 'by-registry'));
    const place = `oci://${registry.host}/charts/echo-operator`;
    await helmOffline(
      'pull',
      place,
      '--version',
      '0.0.0',
      '--plain-http',
      '--destination',
      join(folder, 'by-registry'),
    );
    const bytes = (where: string) => readFile(join(folder, where, 'echo-operator-0.0.0.tgz'));
    assert.deepEqual(await bytes('by-registry'), await bytes('charts'));
    assert.deepEqual(await bytes('by-folder'), await bytes('charts'));
    await helmOffline('lint', '--strict', join(folder, 'charts/echo-operator-0.0.0.tgz'));
  });
});

interface Place {
  readonly kubeconfig: string;
  readonly kubectl: (args: readonly string[], input?: string) => Promise<Ran>;
  /** Whether the operators themselves run in the pods. */
  readonly hasPods: boolean;
}

/** What has to hold on every cluster, in the order of an operator's life there. */
function lifeOn(place: () => Place) {
  const helmIn = (...args: string[]) => run(program, args, { KUBECONFIG: place().kubeconfig });
  const helm = (...args: string[]) => well(helmIn(...args), `helm ${args.join(' ')}`);
  const kubectl = (...args: string[]) => well(place().kubectl(args), `kubectl ${args.join(' ')}`);
  const apply = (object: object, ...flags: string[]) =>
    well(place().kubectl(['apply', '--server-side', ...flags, '-f', '-'], JSON.stringify(object)), 'kubectl apply');
  const namespaceOf = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const waiting = ['--wait', '--timeout', '10m'];

  for (const [operator, { release, namespace }] of Object.entries(names)) {
    const chart = chartOf(operator);
    const there = ['--namespace', namespace];
    const deployment = async (path: string) =>
      await kubectl(...there, 'get', 'deployment', release, '--output', `jsonpath={${path}}`);
    const crds = async () =>
      (await kubectl('get', 'crd', '--output', 'name')).split('\n').filter((name) => !/monitoring/.test(name));
    const ours = operator === 'echo' ? ['echoImage=busybox:stable'] : [];

    test(`${operator}: over an installation by manifests it says what is there, and takes it over when told to`, async () => {
      await kubectl('apply', '--server-side', '-f', join(operators, operator, 'dist/install.yaml'));
      const refused = await helmIn('install', release, chart, '--namespace', 'elsewhere', '--create-namespace');
      assert.equal(refused.code, 1);
      assert.match(
        refused.err,
        new RegExp(`${release} is in this cluster already: the ClusterRole "${release}" is not of a Helm release`),
      );
      assert.match(
        refused.err,
        new RegExp(`--take-ownership and --set takeOver=true\\. It runs in the namespace "${namespace}"`),
      );
      assert.equal(
        (await helm('list', '--namespace', 'elsewhere', '--all', '--short')).trim(),
        '',
        'nothing half-done',
      );
      const uid = await deployment('.metadata.uid');
      await helm('install', release, chart, ...there, '--take-ownership', ...set(['takeOver=true', ...ours]));
      assert.equal(await deployment('.metadata.uid'), uid);
      await helm('uninstall', release, ...there, ...waiting);
    });

    test(`${operator}: install, upgrade, rollback and uninstall, without the kind of ServiceMonitors and when it comes later`, async () => {
      await apply(namespaceOf(namespace));
      const definitions = await crds();
      const notes = await helm('install', release, chart, ...there, ...waiting, ...set(ours));
      assert.match(notes, /There is no ServiceMonitor: the cluster does not have the kind/);
      if (place().hasPods) await works();
      const replicas = await deployment('.spec.replicas');
      const settings = operator === 'echo' ? ['numWorkers=2'] : ['logLevel=debug'];
      const template = await deployment('.spec.template');
      const authority = await bundle();

      for (const definition of monitoringDefinitions) await apply(definition);
      await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s');
      await helm('upgrade', release, chart, ...there, ...waiting, ...set([...ours, 'ha.replicaCount=1', ...settings]));
      assert.equal(await deployment('.spec.replicas'), '1');
      assert.notEqual(await deployment('.spec.template'), template, 'the pods are rolled');
      const monitors = await kubectl(...there, 'get', 'servicemonitors,prometheusrules', '--output', 'name');
      assert.equal(monitors.trim().split('\n').length, 2, monitors);
      assert.equal(await bundle(), authority, 'what the operator wrote stays');

      await helm('rollback', release, '1', ...there, ...waiting);
      assert.equal(await deployment('.spec.replicas'), replicas);
      assert.equal(await deployment('.spec.template'), template);
      assert.equal(await bundle(), authority, 'what the operator wrote stays');
      assert.match(await helm('history', release, ...there), /Rollback to 1/);

      const alone = [...ours, 'ha.enabled=false', 'crds.install=false'];
      await helm('upgrade', release, chart, ...there, ...waiting, ...set(alone));
      assert.equal(await deployment('.spec.strategy.type'), 'Recreate');
      assert.deepEqual(await crds(), definitions, 'definitions that the release no longer has stay');
      // Where no values are given, Helm would take those of the revision before.
      await helm('upgrade', release, chart, ...there, ...waiting, '--reset-values', ...set(ours));
      assert.equal(await deployment('.spec.strategy.type'), 'RollingUpdate');
      if (place().hasPods) await works();

      await helm('uninstall', release, ...there, ...waiting);
      assert.deepEqual(await crds(), definitions);
      const left = await kubectl(
        'get',
        'all,configmap,serviceaccount,role,rolebinding,clusterrole,clusterrolebinding,networkpolicy,pdb,servicemonitor,prometheusrule',
        '--all-namespaces',
        '--selector',
        `app.kubernetes.io/instance=${release}`,
        '--output',
        'name',
      );
      assert.equal(left, '');
      for (const kind of monitoringKinds)
        await kubectl('delete', 'crd', `${kind.toLowerCase()}s.monitoring.coreos.com`);
    });

    /** The authority of the conversions, which no template names. */
    async function bundle(): Promise<string> {
      if (operator !== 'memcached' || !place().hasPods) return '';
      const path = 'jsonpath={.spec.conversion.webhook.clientConfig.caBundle}';
      const text = await kubectl('get', 'crd', 'memcacheds.cache.example.com', '--output', path);
      assert.ok(text.length > 100, 'the operator wrote it');
      return text;
    }

    /** It does its work, in a version that has to be converted if there are two. */
    async function works(): Promise<void> {
      const [sample, resource, condition] =
        operator === 'echo'
          ? ['mmontes_v1alpha1_echo.yaml', 'echo', 'Complete']
          : ['cache_v1alpha1_memcached.yaml', 'memcached', 'Available'];
      const file = join(operators, operator, 'config/samples', sample);
      await kubectl('apply', '-f', file);
      await kubectl('wait', resource, '--all', `--for=condition=${condition}`, '--timeout=10m');
      await kubectl('delete', '-f', file, '--wait', '--timeout=10m');
    }
  }

  test('ten sets of values for each are what the API server takes, with the kinds of Prometheus', async () => {
    for (const name of ['blue', 'green', 'monitoring', ...Object.values(names).map(({ namespace }) => namespace)]) {
      await apply(namespaceOf(name));
    }
    for (const definition of monitoringDefinitions) await apply(definition);
    await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s');
    const known = monitoringKinds.flatMap((kind) => ['--api-versions', `monitoring.coreos.com/v1/${kind}`]);
    for (const [operator, { release, namespace }] of Object.entries(names)) {
      const sets = [...common, tenth[operator as keyof typeof tenth]];
      assert.equal(sets.length, 10);
      for (const [i, values] of sets.entries()) {
        const args = ['template', release, chartOf(operator), '--namespace', namespace, ...known, ...set(values)];
        const file = join(folder, `${operator}-${i}.yaml`);
        await writeFile(file, await helmOffline(...args));
        await kubectl('apply', '--server-side', '--dry-run=server', '--force-conflicts', '-f', file);
      }
    }
  });
}

describe('a life on real Kubernetes, in real pods', { skip }, () => {
  let kube: Kubernetes | undefined;
  let place: Place;
  before(async () => {
    const started = await startKubernetes({ pods: true });
    kube = started;
    const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
    for (const operator of Object.keys(names)) {
      const archive = join(folder, `${operator}.tar`);
      const flags = ['--base', 'packages', '--platform', platform, '--output', 'docker-archive', '--to', archive];
      const argv = ['image', 'build', ...flags, '--tag', `${operator}-operator:0.0.0`];
      const built = await runKeelson(argv, { cwd: join(operators, operator), env: process.env });
      assert.equal(built.code, 0, built.err);
      await started.importImage(archive);
    }
    place = {
      kubeconfig: started.kubeconfig,
      kubectl: (args, input) => run('kubectl', args, started.env, input),
      hasPods: true,
    };
  });
  after(() => kube?.[Symbol.asyncDispose]());
  lifeOn(() => place);
});

describe('a life on the embedded cluster', { skip }, () => {
  let cluster: Cluster | undefined;
  let place: Place;
  before(async () => {
    cluster = createCluster();
    const { kubeconfig } = await cluster.listen();
    await cluster.ready;
    const file = join(folder, 'embedded.kubeconfig');
    await writeFile(file, kubeconfig, { mode: 0o600 });
    const env = await kubectlEnvironment(file);
    place = { kubeconfig: file, kubectl: (args, input) => run('kubectl', args, env, input), hasPods: false };
  });
  after(() => cluster?.[Symbol.asyncDispose]());
  lifeOn(() => place);
});
