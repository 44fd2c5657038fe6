/** A real API server that cannot stream lists, as those before 1.34 may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { connect, createClient, createInformer, loadConfig } from '../../src/index.ts';
import { runInformer } from '../run-informer.ts';
import { until } from '../until.ts';

const available = await availability({ controllers: false });
const only = { skip: available.available ? false : available.reason };

test('an informer lists in pages where the server refuses to stream, and goes on from there', only, async () => {
  await using kube = await startKubernetes({
    controllers: false,
    apiServerFlags: ['--feature-gates=WatchList=false'],
  });
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  const asked: URLSearchParams[] = [];
  const client = createClient({
    transport: {
      request(request) {
        asked.push(new URL(request.path, kube.server).searchParams);
        return transport.request(request);
      },
      async [Symbol.asyncDispose]() {},
    },
  });
  const create = (name: string) => client.create(ConfigMap, { metadata: { name, namespace: 'default' } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
  asked.length = 0;
  const errors: Error[] = [];
  const informer = createInformer(client, ConfigMap, {
    namespace: 'default',
    pageSize: 2,
    onError: (error) => errors.push(error),
  });
  await using _running = runInformer(informer);
  await informer.synced;
  await until(() => informer.health.phase === 'watching');
  await create('f');
  await until(() => informer.store.size === 6);
  const sorts = asked.map((query) =>
    query.has('sendInitialEvents') ? 'stream' : query.has('watch') ? 'watch' : query.has('limit') ? 'page' : 'create',
  );
  assert.deepEqual(sorts.filter((sort) => sort !== 'create').join(' '), 'stream page page page watch');
  assert.deepEqual(errors, []);
});
