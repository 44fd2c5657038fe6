import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { Api, Fuzzer, isRefusalWith500, operationsOf, parseKubeconfig, readKubeconfig } from '@keelson/conformance';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';

const machine = await availability();
const skip = machine.available ? false : machine.reason;
const seed = Number(process.env.KEELSON_SEED ?? 1);
const requests = 4000;

test(`${requests} requests by chance to both servers: where real Kubernetes blames the client, so do we`, {
  skip,
}, async (t) => {
  await using kube = await startKubernetes({ controllers: false });
  await using real = new Api(readKubeconfig(kube.kubeconfig));
  await using cluster = createCluster({ only: [] });
  await using door = await cluster.listen();
  await using ours = new Api(parseKubeconfig(door.kubeconfig));
  // Nothing has an effect, so that both stay as they are, and alike.
  const fuzzer = new Fuzzer(await operationsOf(real), { seed, namespace: 'default', isDry: true });
  const wrong: string[] = [];
  let same = 0;
  for (let index = 0; index < requests; index++) {
    const { method, path, options } = fuzzer.next();
    const [theirs, own] = await Promise.all([real.send(method, path, options), ours.send(method, path, options)]);
    if (theirs.status === own.status) same += 1;
    // What this server does not do it says with 501.
    const isFailure = own.status >= 500 && own.status !== 501;
    if (!isFailure || (theirs.status >= 500 && isRefusalWith500(own.text) && isRefusalWith500(theirs.text))) continue;
    wrong.push(
      `request ${index} of seed ${seed}: ${method} ${path} ${JSON.stringify(options)}\n${theirs.status} ${theirs.text}${own.status} ${own.text}`,
    );
  }
  t.diagnostic(`seed ${seed}: ${same} of ${requests} answers have the same status`);
  assert.deepEqual(wrong, []);
});
