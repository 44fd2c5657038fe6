import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Lease } from '@keelson/core/coordination/v1';
import { ConfigMap } from '@keelson/core/v1';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { connect, createClient, createInformer, loadConfig } from '../../src/index.ts';
import { until } from '../until.ts';

const available = await availability({ pods: false });
const only = { skip: available.available ? false : available.reason };
const candidate = fileURLToPath(new URL('./candidate.ts', import.meta.url));

test(
  'of three processes one writes at a time, also after the leader was stopped past its lease and goes on',
  only,
  async () => {
    await using kube = await startKubernetes();
    await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
    const client = createClient({ transport });
    await client.create(ConfigMap, { metadata: { name: 'written', namespace: 'default' }, data: {} });

    /** Who wrote, in the server's order; the same name twice in a row is one entry. */
    const writers: string[] = [];
    let writes = 0;
    const informer = createInformer(client, ConfigMap, { namespace: 'default', fields: 'metadata.name=written' });
    informer.subscribe(({ object }) => {
      const by = object.data?.by;
      if (by === undefined) return;
      writes += 1;
      if (writers.at(-1) !== by) writers.push(by);
    });
    const watching = new AbortController();
    const watched = informer.start(watching.signal);

    const replicas = new Map<string, ChildProcess>();
    for (const identity of ['one', 'two', 'three']) {
      replicas.set(identity, spawn(process.execPath, [candidate, kube.kubeconfig, identity], { stdio: 'inherit' }));
    }
    try {
      await until(() => writes > 20, { timeoutMs: 60_000 });
      const [first = ''] = writers;
      assert.deepEqual(writers, [first]);

      replicas.get(first)?.kill('SIGSTOP');
      await until(() => writers.length === 2, { timeoutMs: 60_000, what: 'a second leader' });
      const second = writers[1] ?? '';
      replicas.get(first)?.kill('SIGCONT');
      const before = writes;
      await until(() => writes > before + 100, { timeoutMs: 60_000 });
      assert.deepEqual(writers, [first, second], 'the first must not write again before it is elected again');

      const lease = await client.get(Lease, 'default/candidates');
      assert.equal(lease.spec.holderIdentity, second);
      assert.equal(lease.spec.leaseTransitions, 1);

      replicas.get(second)?.kill('SIGTERM');
      await until(() => writers.length === 3, { timeoutMs: 60_000, what: 'a third term' });
    } finally {
      await Promise.all(
        [...replicas.values()].map(async (replica) => {
          if (replica.exitCode !== null) return;
          const exited = once(replica, 'exit');
          replica.kill('SIGKILL');
          await exited;
        }),
      );
      watching.abort();
      await watched;
    }
  },
);
