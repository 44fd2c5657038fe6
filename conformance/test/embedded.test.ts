import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { parseKubeconfig, Session } from '@keelson/conformance';
import { judge } from './judge.ts';

test('the embedded cluster answers as every case says', async (t) => {
  await using cluster = createCluster();
  await cluster.ready;
  await using door = await cluster.listen();
  const session = new Session(parseKubeconfig(door.kubeconfig), { compact: async () => cluster.compact() });
  await judge(t, session, 12); // most of the time, cases wait for a timeout
});
