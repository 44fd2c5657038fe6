import { test } from 'node:test';
import { readKubeconfig, Session } from '@keelson/conformance';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { judge } from '../judge.ts';

const machine = await availability();
const skip = machine.available ? false : machine.reason;

test('real Kubernetes answers as every case says', { skip }, async (t) => {
  await using kube = await startKubernetes();
  const session = new Session(readKubeconfig(kube.kubeconfig), {
    async compact() {
      await kube.compactEtcd();
      await kube.restartApiServer(); // it still knows in its caches what etcd has forgotten
    },
  });
  await judge(t, session, 4);
});
