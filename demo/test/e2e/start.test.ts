/** `npm start` on a real API server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { start } from '../start-process.ts';

const found = await availability();

describe('npm start on a real API server', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  before(async () => {
    kube = await startKubernetes();
  });
  after(() => kube?.[Symbol.asyncDispose]());

  test('a user without the rights is told the missing rules before anything is changed', async () => {
    const process = start(['--kubeconfig', await kube.kubeconfigFor({ user: 'nobody' })]);
    assert.equal(await process.ended, 1, process.printed());
    for (const rule of [
      'apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get","create","patch"]',
      'apiGroups: ["cache.example.com"], resources: ["memcacheds/status"], verbs: ["patch"]',
      'apiGroups: ["apps"], resources: ["deployments"], verbs: ["get","list","watch","create","patch"]',
    ]) {
      assert.ok(process.printed().includes(rule), `${rule} in ${process.printed()}`);
    }
    assert.equal(process.errors().trimEnd().split('\n').length, 1);
    assert.equal((await kube.kubectl('get', 'crds', '-o', 'name')).stdout, '');
  });

  test('the definitions are installed, a Memcached gets its Deployment and an Echo its Job, and Ctrl-C ends it', async () => {
    const process = start(['--kubeconfig', kube.kubeconfig]);
    const memcached = {
      apiVersion: 'cache.example.com/v1',
      kind: 'Memcached',
      metadata: { name: 'demo', namespace: 'default' },
      spec: { size: 2 },
    };
    await until('the operator works', async () => process.printed().includes('Starting workers'));
    assert.match(
      process.printed(),
      /\n {2}export KUBECONFIG=\/.*\n {2}kubectl apply --server-side -f operators\/memcached\//,
    );
    await kube.apply(JSON.stringify(memcached));
    const echo = {
      apiVersion: 'mmontes.io/v1alpha1',
      kind: 'Echo',
      metadata: { name: 'demo', namespace: 'default' },
      spec: { message: 'Hi' },
    };
    await kube.apply(JSON.stringify(echo));
    await until('the Job is there', async () => (await kube.kubectl('get', 'job', 'demo-1', '-o', 'name')).code === 0);
    await until(
      'the Deployment is there',
      async () => (await kube.kubectl('get', 'deployment', 'demo', '-o', 'jsonpath={.spec.replicas}')).stdout === '2',
    );
    process.kill('SIGINT');
    assert.equal(await process.ended, 0, process.printed());
  });

  test('started again on the same cluster, it changes nothing about the definition', async () => {
    const spec = async () =>
      (await kube.kubectl('get', 'crd', 'memcacheds.cache.example.com', '-o', 'jsonpath={.spec}')).stdout;
    const before = await spec();
    const process = start(['--kubeconfig', kube.kubeconfig]);
    await until('the operator works', async () => process.printed().includes('Starting workers'));
    process.kill('SIGTERM');
    assert.equal(await process.ended, 0);
    assert.equal(await spec(), before);
  });
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  using limit = deadline(systemClock, 300_000, what);
  while (!(await holds())) {
    if (limit.signal.aborted) assert.fail(`${what}: not within five minutes`);
    await sleep(systemClock, 50);
  }
}
