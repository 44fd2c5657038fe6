/**
 * A Memcached as a StatefulSet on real Kubernetes with real servers, and the operator outside of the cluster, from where it
 * reaches the pods.
 *
 * There is no DNS in this cluster: that names lead to pods is seen in the EndpointSlices, from which any DNS answers.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sleep } from '@keelson/core';
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { EndpointSlice } from '@keelson/core/discovery/v1';
import { systemClock } from '@keelson/core/system';
import type { Pod } from '@keelson/core/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import type { Memcached } from '../../src/api/memcached.ts';
import { type Installation, install } from '../installation.ts';
import { type OperatorProcess, startOperator } from '../operator-process.ts';
import { eventually, kubectlOf, memcachedManifest } from '../slice.ts';

const reason = await availability({ pods: true });
const skip = reason.available ? false : reason.reason;
const selector = ['-l', 'app.kubernetes.io/instance=cache'];
const rollout = { minReadySeconds: 2, warmup: { items: 80, timeoutSeconds: 3600 } };

describe('a StatefulSet of servers on real Kubernetes', { skip }, () => {
  let kube: Kubernetes;
  let operator: OperatorProcess;
  let installed: Installation;

  before(async () => {
    kube = await startKubernetes({ pods: true });
    installed = await install(kube);
    operator = startOperator(installed.kubeconfig, installed.webhookFlags);
    await kubectl().apply(memcachedManifest('cache', { size: 3, workload: 'StatefulSet', memory: '64Mi', rollout }));
    await rolledOut(3);
  });
  after(async () => {
    await operator?.stop('SIGTERM');
    await kube?.[Symbol.asyncDispose]();
  });

  const kubectl = () => kubectlOf({ env: kube.env }, 'default');
  const memcached = () => kubectl().json<Memcached>('get', 'memcached', 'cache');
  const edit = (spec: object) =>
    kubectl()('patch', 'memcached', 'cache', '--type=merge', '-p', JSON.stringify({ spec }));

  /** By ordinal. */
  const pods = async (): Promise<readonly Pod[]> => {
    const { items } = await kubectl().json<{ readonly items: readonly Pod[] }>('get', 'pods', ...selector);
    return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  };
  const uids = async () => (await pods()).map(({ metadata }) => metadata.uid);

  const rolledOut = (size: number) =>
    eventually(
      `${size} servers, rolled out`,
      memcached,
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.nodes?.length === size &&
        status?.conditions?.some((each) => each.reason === 'RolledOut') === true,
    );

  /** What a server answers, asked from this machine as the operator asks. */
  const talk = async (pod: Pod | undefined, request: string): Promise<string> => {
    const socket = connect(11211, pod?.status.podIP ?? '');
    socket.end(`${request}quit\r\n`);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    await once(socket, 'close');
    return answer;
  };
  const fill = async (pod: Pod | undefined, items = 100) => {
    const sets = Array.from({ length: items }, (_, i) => `set key-${i} 0 0 1\r\nx\r\n`).join('');
    assert.equal((await talk(pod, sets)).match(/STORED/g)?.length, items);
  };

  test('names lead to pods, each has the memory that was asked for, and the status lists them', async () => {
    const all = await pods();
    const addressOf = new Map(all.map(({ metadata, status }) => [metadata.name, status.podIP]));
    const slices = await eventually(
      'endpoints of three servers',
      () =>
        kubectl().json<{ readonly items: readonly EndpointSlice[] }>(
          'get',
          'endpointslices',
          '-l',
          'kubernetes.io/service-name=cache',
        ),
      ({ items }) => items.flatMap(({ endpoints }) => endpoints ?? []).length === 3,
    );
    const named = slices.items.flatMap(({ endpoints }) => endpoints ?? []);
    assert.deepEqual(named.map(({ hostname, addresses }) => [hostname, ...addresses]).sort(), [...addressOf].sort());
    for (const pod of all) {
      const { resources } = pod.spec.containers[0] ?? {};
      assert.deepEqual(resources, { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '128Mi' } });
      assert.deepEqual([pod.spec.hostname, pod.spec.subdomain], [pod.metadata.name, 'cache']);
      assert.match(await talk(pod, 'stats settings\r\n'), /STAT maxbytes 67108864\r\n/);
    }
    const { status } = await memcached();
    assert.deepEqual(
      status?.endpoints,
      [0, 1, 2].map((ordinal) => `cache-${ordinal}.cache.default.svc:11211`),
    );
    assert.equal(status?.version, '1.6.26');
  });

  test('three servers become five and three again, and what the first three hold is still there', async () => {
    const first = await uids();
    for (const pod of await pods()) await fill(pod);
    await edit({ size: 5 });
    await rolledOut(5);
    await edit({ size: 3 });
    await rolledOut(3);
    assert.deepEqual((await uids()).slice(0, 3), first);
    for (const pod of (await pods()).slice(0, 3))
      assert.match(await talk(pod, 'get key-0 key-99\r\n'), /^VALUE key-0 0 1\r\nx\r\nVALUE key-99 0 1\r\nx\r\nEND/);
  });

  test('kubectl shows which servers a change replaces, and each waits until the one before is warm', async () => {
    await eventually('the first three alone', uids, (all) => all.length === 3);
    const before = await uids();
    const { stderr } = await edit({ memory: '65Mi' });
    assert.match(stderr, /^Warning: all 3 servers are replaced, each starts empty: spec\.memory$/m);
    /** The server that was just replaced is empty: it is waited for, and the next one stays. */
    const waitsFor = async (ordinal: number) => {
      const { status } = await eventually(
        `cache-${ordinal} is waited for`,
        memcached,
        (each) =>
          each.status?.conditions?.some(({ message }) =>
            message.includes(`cache-${ordinal} fills its cache before cache-${ordinal - 1} is replaced`),
          ) === true,
      );
      assert.deepEqual([status?.change?.class, status?.change?.fields], ['Roll', ['spec.memory']]);
      await sleep(systemClock, 11_000); // the operator asks every ten seconds
      const now = await uids();
      assert.deepEqual(now.slice(0, ordinal), before.slice(0, ordinal), `none below cache-${ordinal} is replaced`);
      assert.ok(!before.includes(now[ordinal] ?? ''), `cache-${ordinal} is replaced`);
      const set = await kubectl().json<StatefulSet>('get', 'statefulset', 'cache');
      assert.equal(set.spec.updateStrategy?.rollingUpdate?.partition, ordinal);
    };
    await waitsFor(2);
    await fill((await pods())[2]);
    await waitsFor(1);
    // What it has to do next is in the cluster, not in the process.
    await operator.stop('SIGKILL');
    await fill((await pods())[1]);
    operator = startOperator(installed.kubeconfig, installed.webhookFlags);
    const { status } = await rolledOut(3);
    assert.equal(status?.change, undefined);
    assert.deepEqual(
      (await uids()).filter((uid) => before.includes(uid)),
      [],
    );
    for (const [ordinal, items] of [
      [2, /VALUE/],
      [1, /VALUE/],
      [0, /^END/],
    ] as const)
      assert.match(await talk((await pods())[ordinal], 'get key-0\r\n'), items, 'none was replaced twice');
  });

  test('what the version of the image lacks is refused by its field, and an unknown version is warned about', async () => {
    const create = (spec: object) => kubectl().apply(memcachedManifest('other', spec), '--dry-run=server');
    const refused = await create({ config: { extraArgs: ['-o', 'proxy_config=routelib'] } });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /spec\.config\.extraArgs\[1\]: Invalid value: "proxy_config=routelib": .* needs memcached 1\.6\.38/,
    );
    const warned = await create({ image: 'memcached:latest', config: { extraArgs: ['--enable-ssl'] } });
    assert.equal(warned.code, 0);
    assert.match(
      warned.stderr,
      /Warning: spec\.config\.extraArgs\[0\]: TLS needs memcached 1\.5\.13; spec\.image does not say its version/,
    );
  });
});
