/** A plan on a real API server, by somebody who may only read; and then what the operator really does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Client,
  connect,
  createClient,
  getScale,
  installDefinitions,
  loadConfig,
  requestToken,
  setScale,
} from '@keelson/client';
import { allow, deadline, isForbidden, type KubernetesObject, operator, removable, sleep } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Ingress } from '@keelson/core/networking/v1';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { systemClock } from '@keelson/core/system';
import { ConfigMap, Secret, Service, ServiceAccount } from '@keelson/core/v1';
import { conditions, crdOf, defineKind } from '@keelson/schema';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { z } from 'zod';
import { controller, createManager, done, type PlannedPass } from '../../src/index.ts';

const Shop = defineKind({
  group: 'plan.example.com',
  kind: 'Shop',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ release: z.int32().default(1) }),
      status: z.object({ release: z.int32(), conditions: conditions('Ready') }),
    },
  },
});

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

/** Of everything something differs between the releases: fields, items of lists, members of maps, whole parts. */
const shop = controller({
  for: Shop,
  owns: [removable(ConfigMap), Deployment, Service, Secret, Ingress],
  async reconcile({ metadata: { name }, spec: { release } }, { owned, status, events }) {
    const isFirst = release === 1;
    const labels = { app: name };
    const first = <T>(value: T): readonly T[] => (isFirst ? [value] : []);
    const second = <T>(value: T): readonly T[] => (isFirst ? [] : [value]);
    const metadata = { name, labels, ...(isFirst && { annotations: { note: 'first' } }) };
    await owned.apply(ConfigMap, { metadata, data: isFirst ? { a: '1', b: '1' } : { b: '2', c: '2' } });
    if (isFirst) await owned.apply(ConfigMap, { metadata: { name: `${name}-old` } });
    await owned.only(ConfigMap, [name, ...first(`${name}-old`)]);
    await owned.apply(Secret, { metadata, stringData: { password: `of release ${release}` } });
    const web = { name: 'http', port: 80, targetPort: 8080 };
    await owned.apply(Service, {
      metadata,
      spec: {
        selector: labels,
        ports: [...second({ name: 'metrics', port: 9090, protocol: 'TCP', targetPort: 9 }), web],
      },
    });
    const backend = { service: { name, port: { number: 80 } } };
    await owned.apply(Ingress, {
      metadata,
      spec: {
        rules: [`${release}.example`, ...second('also.example')].map((host) => ({
          host,
          http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
        })),
      },
    });
    const env = [
      { name: 'EMPTY', value: '' },
      ...first({ name: 'OLD', value: '1' }),
      { name: 'RELEASE', value: `${release}` },
    ];
    await owned.apply(Deployment, {
      metadata,
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        ...(isFirst && { strategy: { type: 'Recreate' } }),
        template: {
          metadata: { labels, annotations: {} },
          spec: {
            nodeSelector: isFirst ? { a: '1', b: '1' } : { a: '2' },
            tolerations: [],
            volumes: [{ name: 'config', configMap: { name } }, ...first({ name: 'tmp', emptyDir: {} })],
            containers: [
              ...first({ name: 'side', image: 'side:1' }),
              {
                name: 'web',
                image: `web:${release}`,
                args: ['--release', `${release}`],
                env,
                ports: [{ containerPort: 8080 }],
                resources: { requests: { cpu: '0.1', memory: isFirst ? '1024Mi' : '2Gi' }, limits: { cpu: '1000m' } },
                volumeMounts: [{ name: 'config', mountPath: '/etc/web' }],
              },
            ],
          },
        },
      },
    });
    events.normal('Released', `release ${release}`);
    await status.apply({
      release,
      conditions: [{ type: 'Ready', status: isFirst ? 'False' : 'True', reason: 'Released', message: `${release}` }],
    });
    return done;
  },
});
const shops = operator({ name: 'shops', controllers: [shop] });
const kinds = { ConfigMap, Deployment, Service, Secret, Ingress, Shop };

/** Without what the server counts, what it makes of the rest by itself, and when a condition changed. */
function essence({ metadata, ...content }: KubernetesObject): object {
  const { uid, resourceVersion, generation, creationTimestamp, managedFields, ...kept } = metadata;
  const text = JSON.stringify({ ...content, metadata: kept });
  return JSON.parse(text, (name, value: unknown) => (name === 'lastTransitionTime' ? undefined : value)) as object;
}

/** The strategy that was described is no longer, so the server gives its default. */
function withDefaults(object: object): object {
  const { kind, spec } = object as Partial<Deployment>;
  if (kind !== 'Deployment') return object;
  const rollingUpdate = { maxSurge: '25%', maxUnavailable: '25%' };
  return { ...object, spec: { ...spec, strategy: { type: 'RollingUpdate', rollingUpdate } } };
}

const found = await availability();

test('what a reader plans is what the operator does', { skip: found.available ? false : found.reason }, async () => {
  await using kube = await startKubernetes({ controllers: false });
  const config = await loadConfig({ kubeconfig: kube.kubeconfig });
  await using transport = connect(config);
  const client = createClient({ transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Shop)]);
  await client.create(Shop, { metadata: { namespace: 'default', name: 'a' } });
  const seen = (release: number) => run(client, transport, release);
  const plan = await readerOf(client, config);

  const creation = await plan();
  assert.equal(await client.find(Deployment, 'default/a'), undefined);
  await seen(1);
  for (const { kind, key, after, type } of creation.changes) {
    assert.equal(type, kind === 'Shop' ? 'change' : 'create');
    const real = essence(await client.get(kinds[kind as 'Shop'], key));
    // The server keeps neither an empty map nor an empty text, and writes amounts in its own way.
    const wanted = JSON.parse(JSON.stringify(essence(after as KubernetesObject)), (name, value: unknown) => {
      const isNothing =
        value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
      if (isNothing && name !== 'emptyDir') return undefined;
      return { '0.1': '100m', '1024Mi': '1Gi', '1000m': '1' }[String(value)] ?? value;
    }) as object;
    if (kind !== 'Shop') assert.partialDeepStrictEqual(real, wanted);
  }

  assert.deepEqual(
    (await plan()).changes.map(({ kind }) => kind),
    [],
  );
  await kube.kubectl('label', 'deployment', 'a', 'theirs=yes');
  await kube.kubectl('annotate', 'configmap', 'a', 'theirs=yes');
  const added = [{ op: 'add', path: '/spec/ports/-', value: { name: 'extra', port: 81 } }];
  await kube.kubectl('patch', 'service', 'a', '--type=json', '-p', JSON.stringify(added));
  await kube.kubectl('set', 'env', 'deployment/a', '-c', 'web', 'THEIRS=1');
  await client.patch(Shop, 'default/a', { spec: { release: 2 } });
  const change = await plan();
  assert.equal((await client.get(Shop, 'default/a')).status?.release, 1);
  await seen(2);
  assert.deepEqual(change.changes.map(({ kind, type }) => `${kind} ${type}`).sort(), [
    'ConfigMap change',
    'ConfigMap delete',
    'Deployment change',
    'Ingress change',
    'Secret change',
    'Service change',
    'Shop change',
  ]);
  for (const { kind, key, after, type } of change.changes) {
    const real = await client.find(kinds[kind as 'Shop'], key);
    if (type === 'delete') assert.equal(real, undefined);
    else assert.deepEqual(essence(real as KubernetesObject), withDefaults(essence(after as KubernetesObject)));
  }
  assert.deepEqual((await plan()).changes, []);

  const finalizers = ['plan.example.com/kept'];
  for (const [name, more] of [
    ['kept', { finalizers }],
    ['gone', {}],
    ['both', { finalizers }],
  ] as const) {
    const metadata = { namespace: 'default', name, labels: { all: name === 'kept' ? 'stays' : 'goes' }, ...more };
    await client.create(ConfigMap, { metadata });
  }
  const planned: unknown[] = [];
  const closing = controller({
    for: Shop,
    needs: [allow(ConfigMap, 'get')],
    async reconcile(_, context) {
      planned.push(...(await closed(context.client)));
      return done;
    },
  });
  await plan(operator({ name: 'closing', controllers: [closing] }));
  assert.deepEqual(planned, await closed(client), 'what is read back in a plan is what comes');
});

/** What is answered and read back when something is scaled, deleted while a finalizer keeps it, and let go. */
async function closed(client: Client): Promise<readonly unknown[]> {
  const seen: unknown[] = [(await setScale(client, Deployment, 'default/a', 3)).spec];
  seen.push((await getScale(client, Deployment, 'default/a')).spec);
  seen.push((await client.get(Deployment, 'default/a')).spec.replicas);
  const look = async (name: string) => {
    const found = await client.find(ConfigMap, `default/${name}`);
    if (found === undefined) return 'gone';
    const { finalizers, deletionTimestamp, deletionGracePeriodSeconds } = found.metadata;
    return [finalizers, deletionTimestamp !== undefined, deletionGracePeriodSeconds];
  };
  for (let i = 0; i < 2; i++) {
    const { type } = await client.delete(ConfigMap, 'default/kept');
    seen.push(type, await look('kept'));
  }
  await client.deleteCollection(ConfigMap, { namespace: 'default', labels: { all: 'goes' } });
  seen.push(await look('gone'), await look('both'));
  await client.patch(ConfigMap, 'default/kept', { metadata: { finalizers: [] } });
  seen.push(await look('kept'));
  return seen;
}

/** Runs the operator until it has reported this release. */
async function run(client: Client, transport: ReturnType<typeof connect>, release: number): Promise<void> {
  const stop = new AbortController();
  const running = createManager(shops, { transport, health: false, metrics: false, logger: silent }).start(stop.signal);
  using limit = deadline(systemClock, 300_000, `release ${release} is there`);
  while ((await client.get(Shop, 'default/a')).status?.release !== release) {
    limit.signal.throwIfAborted();
    await sleep(systemClock, 20);
  }
  stop.abort(new Error('it is there'));
  await running;
}

/** A service account that may read and nothing else, and its plan of the one Shop. */
async function readerOf(client: Client, config: Awaited<ReturnType<typeof loadConfig>>) {
  const name = 'reader';
  const namespace = 'default';
  await client.create(ServiceAccount, { metadata: { namespace, name } });
  await client.create(ClusterRole, {
    metadata: { name },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  });
  const { token } = await requestToken(client, 'default/reader');
  const { clientCertificate, ...tls } = config.tls;
  const own = { ...config, tls, credentials: { type: 'token', token } } as const;
  await using transport = connect(own);
  const reader = createClient({ transport });
  using limit = deadline(systemClock, 300_000, 'the API server knows what the reader may');
  while (await reader.list(Shop).then(() => false, isForbidden)) await sleep(systemClock, 20, limit.signal);
  return async (planned = shops): Promise<PlannedPass> => {
    const passes: PlannedPass[] = [];
    const manager = createManager(planned, { config: own, logger: silent, plan: (pass) => void passes.push(pass) });
    await manager.start(new AbortController().signal);
    const [pass] = passes;
    assert.ok(pass !== undefined && passes.length === 1 && pass.error === undefined, String(pass?.error));
    return pass;
  };
}
