/** What the API server takes and refuses of a Memcached, in both versions. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject, Kind } from '@keelson/core';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedAlone } from './alone.ts';
import { v1alpha1 } from './v1alpha1.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster({ operators: [memcachedAlone] });
});
after(() => cluster[Symbol.asyncDispose]());

const tried = (kind: Kind, spec: JsonObject, name = 'cache') =>
  cluster.client.create(kind, { metadata: { namespace: 'default', name }, spec } as never, { dryRun: true });

const breaking = [
  [
    /find a server on port 11211/,
    '-p',
    '--port=1',
    '-l127.0.0.1',
    '--listen=::',
    '-U',
    '-s/tmp/x',
    '-a',
    '--por=1',
    '-Wp',
  ],
  [/runs in the foreground/, '-d', '-vd', '-u', '--user=root', '-P/x', '-r', '-k', '--daemon', '--daem', '-Wd'],
  [/would never be ready/, '-h', '-V', '--version', '--help', '-i'],
  [/any client could end/, '-A', '--enable-shutdown', '--enable-sh'],
] as const;
const ofMemory = ['-m', '-m64', '--memory-limit', '--memory-limit=1', '-vm', '--memory-l=9', '-Wm'];
const withFiles = [
  '-S',
  '-Z',
  '-Y/x',
  '-e/x',
  'ext_path=/x',
  'slab_reassign,ext_path=/x',
  '-oproxy_config=x',
  'hashpower=20,ext_path=/x:1G',
  '-ohashpower=20,ssl_key=/x',
  '-vossl_key=/x',
  '--ext=proxy_config=x',
];
const fine = [
  '-c2048',
  '-I2m',
  '--max-item-size=2m',
  '-t',
  '4',
  '-vv',
  '-o',
  'slab_reassign,no_modern',
  '-n48',
  '-R',
  '20',
];

for (const { version, kind, args, refused, taken } of [
  {
    version: 'v1alpha1',
    kind: v1alpha1,
    args: (args: readonly string[]) => ({ args }),
    refused: [
      [/spec\.memoryLimit sets the memory/, ...ofMemory],
      [/files that the pod does not have/, ...withFiles],
      ...breaking,
    ],
    taken: fine,
  },
  {
    version: 'v1',
    kind: Memcached as Kind,
    // An image that knows all of them, or the webhook would say so.
    args: (extraArgs: readonly string[]) => ({ image: 'memcached:1.6.45', config: { extraArgs } }),
    refused: [[/spec\.memory sets the memory/, ...ofMemory], ...breaking],
    taken: [...fine, ...withFiles],
  },
] as const) {
  test(`${version}: arguments that would break the pod are refused with the reason, and others are not`, async () => {
    for (const [why, ...each] of refused)
      for (const arg of each) await assert.rejects(tried(kind, args([arg])), why, arg);
    await tried(kind, args(taken));
    for (const arg of taken) await tried(kind, args([arg]));
  });
}

const everywhere = [
  ['cache', { size: 0 }, /spec\.size in body should be greater than or equal to 1/],
  ['cache', { size: '3' }, /spec\.size in body must be of type integer/],
  ['n'.repeat(64), { size: 1 }, /metadata\.name may have at most 63 characters/],
  ['1cache', { size: 1 }, /metadata\.name must begin with a letter/],
  ['my.cache', { size: 1 }, /have no dot/],
  ['cache', { image: 'a b' }, /spec\.image in body should match/],
] as const;

const refusals: Readonly<Record<string, readonly (readonly [name: string, spec: JsonObject, message: RegExp])[]>> = {
  v1alpha1: [
    ...everywhere,
    ['cache', { size: 6 }, /spec\.size in body should be less than or equal to 5/],
    ['cache', { memoryLimit: '1Mi' }, /spec\.memoryLimit in body should match/],
    ['cache', { memoryLimit: '1.5Gi' }, /spec\.memoryLimit in body should match/],
    ['cache', { podLabels: { 'app.kubernetes.io/instance': 'x' } }, /by these the operator finds its pods/],
    ['cache', { podLabels: { team: 'a b' } }, /spec\.podLabels\.team in body should match/],
    ['cache', { resources: { limits: { memory: 'much' } } }, /spec\.resources\.limits\.memory in body should match/],
  ],
  v1: [
    ...everywhere,
    ['cache', { size: 1001 }, /spec\.size in body should be less than or equal to 1000/],
    ['cache', { workload: 'Job' }, /spec\.workload: Unsupported value: "Job"/],
    ['n'.repeat(53), { workload: 'StatefulSet' }, /metadata\.name may have at most 52 characters with a StatefulSet/],
    ['cache', { memory: '1Mi' }, /spec\.memory in body should match/],
    ['cache', { config: { threads: 65 } }, /spec\.config\.threads in body should be less than or equal to 64/],
    ['cache', { config: { maxItemSize: '512Ki' } }, /spec\.config\.maxItemSize in body should match/],
    ['cache', { config: { maxItemSize: '33Mi' } }, /spec\.config\.maxItemSize: .*may be half of spec\.memory at most/],
    [
      'cache',
      { config: { maxConnections: 9, extraArgs: ['-vc', '8'] } },
      /spec\.config\.extraArgs: .*may not have -c or --conn-limit: spec\.config\.maxConnections says it/,
    ],
    ['cache', { config: { threads: 9, extraArgs: ['--thr=8'] } }, /spec\.config\.extraArgs: .*may not have -t/],
    ['cache', { config: { maxItemSize: '2Mi', extraArgs: ['-I2m'] } }, /spec\.config\.extraArgs: .*may not have -I/],
    [
      'cache',
      { memory: '128Mi', pod: { resources: { limits: { memory: '127Mi' } } } },
      /spec\.pod\.resources\.limits: .*is less than spec\.memory/,
    ],
    ['cache', { pod: { resources: { limits: { memory: 67108863 } } } }, /spec\.pod\.resources\.limits: .*less than/],
    [
      'cache',
      { pod: { resources: { limits: { cpu: 1 }, requests: { cpu: '1001m' } } } },
      /spec\.pod\.resources\.requests: .*may not be more than its limit/,
    ],
    ['cache', { pod: { labels: { 'app.kubernetes.io/instance': 'x' } } }, /by these the operator finds its pods/],
    ['cache', { pod: { volumes: [{ name: 'a' }] } }, /spec\.pod\.volumes\[0\]: .*exactly one of secret, configMap/],
    ['cache', { rollout: { warmup: {} } }, /at least one of hitRatio, items must be set/],
    ['cache', { rollout: { warmup: { hitRatio: 80 } } }, /spec\.rollout\.warmup: .*needs workload: StatefulSet/],
    ['cache', { availability: { maxUnavailable: '101%' } }, /spec\.availability\.maxUnavailable in body should match/],
    [
      'cache',
      { availability: { antiAffinity: 'Required' }, pod: { affinity: { podAntiAffinity: {} } } },
      /spec\.availability\.antiAffinity: .*may not be given beside pod\.affinity\.podAntiAffinity/,
    ],
  ],
};

for (const kind of [v1alpha1, Memcached as Kind]) {
  test(`${kind.version}: a size, a name and a field that cannot be are refused by the server`, async () => {
    for (const [name, spec, message] of refusals[kind.version] ?? []) {
      await assert.rejects(tried(kind, spec, name), message, JSON.stringify(spec));
    }
  });
}

test('v1: what goes together is taken, and what is left out has its default', async () => {
  for (const spec of [
    { size: 1000, workload: 'StatefulSet', rollout: { warmup: { hitRatio: 80 } }, updatePolicy: 'Manual' },
    { memory: '128Mi', pod: { resources: { limits: { memory: '128Mi', cpu: 1 }, requests: { cpu: '1' } } } },
    { config: { maxItemSize: '32Mi', extraArgs: ['--disable-cas'] }, memory: '64Mi' },
    { availability: { antiAffinity: 'None' }, pod: { affinity: { podAntiAffinity: {} } } },
  ]) {
    await tried(Memcached, spec);
  }
  const { spec } = await cluster.client.create(
    Memcached,
    { metadata: { namespace: 'default', name: 'cache' } },
    { dryRun: true },
  );
  assert.deepEqual(spec, { size: 1, workload: 'Deployment', updatePolicy: 'Auto' });
});

test('v1: the workload stays as it was set', async () => {
  await cluster.client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' } });
  await assert.rejects(
    cluster.client.patch(Memcached, 'default/cache', { spec: { workload: 'StatefulSet' } }),
    /spec\.workload: Invalid value: "StatefulSet": field is immutable/,
  );
});
