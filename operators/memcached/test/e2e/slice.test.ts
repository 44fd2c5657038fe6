/** The first slice on real Kubernetes: the operator is a process with the rights of its declaration and no others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rulesOf, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { crdOf } from '@keelson/schema';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { Memcached } from '../../src/api/v1alpha1.ts';
import { memcachedOperator } from '../../src/operator.ts';
import { type OperatorProcess, startOperator } from '../operator-process.ts';
import { converged, eventually, kubectlOf, memcachedManifest, sliceTests } from '../slice.ts';

const talk = fileURLToPath(new URL('../talk.ts', import.meta.url));
const account = 'operators/memcached-operator';

/** The operator's service account with what its declaration needs, and no more. */
const access = () => {
  const [namespace = '', name = ''] = account.split('/');
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: rulesOf(memcachedOperator),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
};

const reason = await availability({ pods: true });
const skip = reason.available ? false : reason.reason;

describe('the first slice on real Kubernetes', { skip }, () => {
  let kube: Kubernetes;
  let operator: OperatorProcess;
  let kubeconfig: string;

  before(async () => {
    kube = await startKubernetes({ pods: true, auditLog: true });
    for (const object of [crdOf(Memcached), ...access()]) await kube.apply(JSON.stringify(object));
    await kube.kubectl('wait', '--for=condition=Established', 'crd/memcacheds.cache.example.com', '--timeout=30s');
    kubeconfig = await kube.kubeconfigFor({ serviceAccount: account });
    operator = startOperator(kubeconfig);
  });
  after(async () => {
    await operator?.stop('SIGTERM');
    await kube?.[Symbol.asyncDispose]();
  });

  sliceTests(() => ({
    env: kube.env,
    memcached: async (pod, request) => {
      const { code, stdout, stderr } = await kube.runInPodNetwork(pod, [process.execPath, talk], { input: request });
      assert.equal(code, 0, stderr);
      return stdout;
    },
  }));

  const kubectl = () => kubectlOf({ env: kube.env }, 'default');

  test('a steady state is silent: a minute without a write by the operator', async () => {
    await kubectl().apply(memcachedManifest('steady', { size: 2 }));
    await converged(kubectl(), 'steady', 2);
    // Events are sent a moment after the change that they speak of.
    await sleep(systemClock, 2_000);
    const begun = systemClock.now();
    // The one long wait of this suite: the promise is about a minute of silence.
    await sleep(systemClock, 60_000);
    const entries = (await readFile(kube.auditLog ?? '', 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditEntry);
    const own = entries.filter(({ user }) => user.username === 'system:serviceaccount:operators:memcached-operator');
    assert.ok(own.some(isWrite), 'the operator has written before, so its writes are in the log');
    const late = own.filter((entry) => isWrite(entry) && Date.parse(entry.requestReceivedTimestamp) > begun);
    assert.deepEqual(
      late.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      [],
    );
    await kubectl().ok('delete', 'memcached', 'steady');
  });

  test('killed in the middle of a scale-up and started again, it never exceeds the size and converges', async () => {
    const name = 'killed';
    const scale = (size: number) =>
      kubectl().ok('patch', 'memcached', name, '--type=merge', '-p', JSON.stringify({ spec: { size } }));
    const restart = async () => {
      await operator.stop('SIGKILL');
      operator = startOperator(kubeconfig);
    };
    await kubectl().apply(memcachedManifest(name, { size: 1 }));
    await converged(kubectl(), name, 1);
    const uid = await kubectl().ok('get', 'deployment', name, '-o', 'jsonpath={.metadata.uid}');
    await using pods = watchPods(kube, name);

    // Killed before it can have acted, then while the pods come, then on the way down.
    await scale(3);
    await restart();
    await converged(kubectl(), name, 3);
    assert.ok(pods.most() <= 3, `${pods.most()} pods at size 3`);

    pods.forget();
    await scale(5);
    await eventually(
      'a fourth pod',
      async () => pods.most(),
      (most) => most >= 4,
    );
    await restart();
    await converged(kubectl(), name, 5);
    assert.ok(pods.most() <= 5, `${pods.most()} pods at size 5`);

    await scale(2);
    await restart();
    await converged(kubectl(), name, 2);

    // A rollout to another template and back, with the operator killed in it.
    pods.forget();
    await kubectl().ok('set', 'env', `deployment/${name}`, 'EXTRA=1');
    await kubectl().ok('set', 'image', `deployment/${name}`, 'memcached=busybox:1');
    await restart();
    await converged(kubectl(), name, 2);
    assert.ok(pods.most() <= 2, `${pods.most()} pods at size 2`);

    assert.equal(await kubectl().ok('get', 'deployment', name, '-o', 'jsonpath={.metadata.uid}'), uid);
    await kubectl().ok('delete', 'memcached', name);
  });

  test('the same process converges the next change after the API server was killed and came back', async () => {
    const name = 'survivor';
    await kubectl().apply(memcachedManifest(name, { size: 1 }));
    await converged(kubectl(), name, 1);
    const { pid } = operator;
    await kube.killApiServer();
    await sleep(systemClock, 3_000); // long enough for the operator to notice, and to fail a few times
    await kube.restartApiServer();
    await kubectl().ok('patch', 'memcached', name, '--type=merge', '-p', '{"spec":{"size":2}}');
    await converged(kubectl(), name, 2, 60_000);
    process.kill(pid, 0); // throws when that process is gone
    await kubectl().ok('delete', 'memcached', name);
  });

  test('SIGTERM ends the operator in order', async () => {
    assert.equal(await operator.stop('SIGTERM'), 0, operator.log());
    operator = startOperator(kubeconfig);
  });
});

interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
}

const isWrite = ({ verb }: AuditEntry) => !['get', 'list', 'watch'].includes(verb);

interface PodCount {
  /** The most that were there at once, since `forget`. */
  most(): number;
  forget(): void;
}

/** Follows a Memcached's pods by a watch and remembers how many were there at once, terminating ones aside. */
function watchPods({ env }: Kubernetes, name: string): PodCount & AsyncDisposable {
  const selector = `app.kubernetes.io/instance=${name}`;
  const columns = 'jsonpath={.type} {.object.metadata.name} {.object.metadata.deletionTimestamp}{"\\n"}';
  const child = spawn('kubectl', ['get', 'pods', '-l', selector, '--watch', '--output-watch-events', '-o', columns], {
    env: { ...env },
  });
  const alive = new Set<string>();
  let most = 0;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [type, pod = '', terminating] = line.split(' ');
      if (type === 'DELETED' || terminating) alive.delete(pod);
      else alive.add(pod);
      most = Math.max(most, alive.size);
    }
  });
  return {
    most: () => most,
    forget: () => {
      most = alive.size;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      await closed;
    },
  };
}
