/** The first slice on real Kubernetes: the operator is a process with the rights of its declaration and no others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type PolicyRule, rulesOf, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { auditEntries, availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { memcachedOperator } from '../../src/operator.ts';
import { operatorWrites } from '../audit.ts';
import { type Installation, install, operatorUser } from '../installation.ts';
import { collisionRights, impliedRights, spareRights, specFor } from '../life.ts';
import { type OperatorProcess, startOperator } from '../operator-process.ts';
import { allowedByOthers, isList, rightsAudited, rightsIn, withoutRight } from '../rights-asked.ts';
import { converged, eventually, kubectlOf, memcachedManifest, sliceTests } from '../slice.ts';
import { getStuck, stuck } from '../stuck.ts';

const talk = fileURLToPath(new URL('../talk.ts', import.meta.url));
const reason = await availability({ pods: true });
const skip = reason.available ? false : reason.reason;

describe('the first slice on real Kubernetes', { skip }, () => {
  let kube: Kubernetes;
  let operator: OperatorProcess;
  let installed: Installation;

  before(async () => {
    kube = await startKubernetes({ pods: true, auditLog: true });
    installed = await install(kube);
    operator = startOperator(installed.kubeconfig, [...installed.webhookFlags, '--log-causes']);
  });
  after(async () => {
    await operator?.stop('SIGTERM');
    await kube?.[Symbol.asyncDispose]();
  });

  const kubectl = (namespace = 'default') => kubectlOf({ env: kube.env }, namespace);

  /** What the operator wrote of that which needed nothing, and where it did too much about that which cannot be helped. */
  const noiseSince = async (begun: number): Promise<readonly string[]> => {
    const noise = [...(await operatorWrites(kube, 'steady', begun))];
    for (const { namespace } of stuck) {
      const writes = await operatorWrites(kube, namespace, begun);
      if (writes.length > 10) noise.push(`${writes.length} writes in ${namespace}:`, ...writes);
      const passes = passesIn(operator.log(), namespace, begun);
      if (passes > 20) noise.push(`${passes} passes in ${namespace}`);
    }
    return noise;
  };

  describe('side by side', { concurrency: 2 }, () => {
    sliceTests(() => ({
      env: kube.env,
      memcached: async (pod, request) => {
        const { code, stdout, stderr } = await kube.runInPodNetwork(pod, [process.execPath, talk], { input: request });
        assert.equal(code, 0, stderr);
        return stdout;
      },
      killServer: (pod) => killServer(kubectl(), pod),
    }));

    test('a minute in which nothing is to be done is silent, and one in which nothing can be done nearly so', async () => {
      await kubectl().ok('create', 'namespace', 'steady');
      await kubectl('steady').apply(memcachedManifest('steady', { size: 2 }, 'steady'));
      await Promise.all([
        converged(kubectl('steady'), 'steady', 2),
        ...stuck.map((each) => getStuck({ env: kube.env }, each)),
      ]);
      assert.ok((await operatorWrites(kube, 'steady')).length > 0, 'the operator has written before, and it was seen');
      for (const { namespace } of stuck) {
        assert.ok(passesIn(operator.log(), namespace, 0) > 0, 'its passes are seen');
      }
      // The one long wait of this suite: the promise is about a minute. Events are sent after the change that they speak
      // of, so on a busy machine the first minute may still hear of what went before.
      let noise: readonly string[] = [];
      for (let minute = 1; minute <= 3; minute += 1) {
        const begun = systemClock.now();
        await sleep(systemClock, 60_000);
        noise = await noiseSince(begun);
        if (noise.length === 0) break;
      }
      assert.deepEqual(noise, []);
      for (const namespace of ['no-image', 'no-such-name']) {
        await kubectl(namespace).ok('patch', 'memcached', 'cache', '--type=merge', '-p', '{"spec":{"image":null}}');
        await converged(kubectl(namespace), 'cache', 1);
      }
      await kubectl().ok('delete', 'namespace', 'steady', ...stuck.map(({ namespace }) => namespace), '--wait=false');
    });
  });

  test('killed in the middle of a scale-up and started again, it never exceeds the size and converges', async () => {
    const name = 'killed';
    const scale = (size: number) =>
      kubectl().ok('patch', 'memcached', name, '--type=merge', '-p', JSON.stringify({ spec: { size } }));
    const restart = async () => {
      await operator.stop('SIGKILL');
      operator = startOperator(installed.kubeconfig, installed.webhookFlags);
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

    // A rollout to another template and back, with the operator killed in it. What the Deployment allows is looked at,
    // not its pods: Kubernetes adds a pod to one ReplicaSet and takes one from another with no order between the two.
    await using allowed = watchAllowed(kube, name);
    await eventually(
      'what the Deployment allows',
      async () => allowed.most(),
      (most) => most > 0,
    );
    await kubectl().ok('set', 'env', `deployment/${name}`, 'EXTRA=1');
    await kubectl().ok('set', 'image', `deployment/${name}`, 'memcached=busybox:1');
    await restart();
    await converged(kubectl(), name, 2);
    assert.equal(allowed.most(), 2);

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
    await converged(kubectl(), name, 2);
    process.kill(pid, 0); // throws when that process is gone
    await kubectl().ok('delete', 'memcached', name);
  });

  test('SIGTERM ends the operator in order', async () => {
    assert.equal(await operator.stop('SIGTERM'), 0, operator.log());
    operator = startOperator(installed.kubeconfig, installed.webhookFlags);
  });

  test('in all of this the operator has asked for what its generated roles grant, but for the listed rights', async () => {
    await using leader = startOperator(installed.kubeconfig, election);
    await using follower = startOperator(installed.kubeconfig, election);
    // The second time is the same Event, with a count.
    await kubectl().apply(memcachedManifest('asked', { size: 1 }));
    await kubectl().apply(memcachedManifest('asked-by-name', { size: 1, workload: 'StatefulSet' }));
    for (const paused of [true, false, true, false]) {
      const patch = JSON.stringify({ spec: { paused } });
      await kubectl().ok('patch', 'memcached', 'asked', '--type=merge', '-p', patch);
      const shown = 'jsonpath={.status.conditions[?(@.type=="Progressing")].reason}';
      await eventually(
        `paused is ${paused}`,
        () => kubectl().ok('get', 'memcached', 'asked', '-o', shown),
        (reason) => (reason === 'Paused') === paused,
      );
    }
    const entries = () => auditEntries(kube, operatorUser);
    const asked = await eventually(
      'every other right is asked for',
      // Whether a collision has come up in all of this is a matter of luck.
      async () => rightsAudited(await entries()).filter((right) => !collisionRights.includes(right)),
      (rights) => granted.every((right) => rights.includes(right) || exceptions.includes(right)),
    );
    assert.deepEqual([...asked.filter((right) => !isList(right)), ...exceptions].sort(), granted);
    assert.deepEqual(allowedByOthers(await entries(), 'memcached-operator'), []);
    await kubectl().ok('delete', 'memcached', 'asked', 'asked-by-name');
    for (const each of [leader, follower]) assert.ok(each.isRunning(), each.log());
  });

  test('each right that the server looks for by itself is missed when it alone is taken away', async () => {
    const role = (rules: readonly PolicyRule[]) =>
      kubectl().ok('patch', 'clusterrole', 'memcached-operator', '--type=merge', '-p', JSON.stringify({ rules }));
    const rules = rulesOf({ ...memcachedOperator, leaderElection: false });
    const shown = 'jsonpath={.status.conditions[?(@.type=="Degraded")].reason}';
    for (const [index, right] of impliedRights.entries()) {
      const name = `implied-${index}`;
      const reads = (expected: string) =>
        eventually(
          `${expected} without ${right}`,
          () => kubectl().ok('get', 'memcached', name, '-o', shown),
          (reason) => reason === expected,
        );
      await role(withoutRight(rules, right));
      await refused(kubectl(), right);
      await kubectl().apply(memcachedManifest(name, specFor(right)));
      await reads('Forbidden');
      await role(rules);
      await reads('AsExpected');
      await kubectl().ok('delete', 'memcached', name, '--wait=false');
    }
  });
});

const granted = rightsIn(rulesOf(memcachedOperator));
/** docs/generate.md gives the reasons. */
const exceptions = [...new Set([...granted.filter(isList), ...impliedRights, ...spareRights])];
const election = ['--leader-elect', '--leader-elect-lease', 'memcached-operator-system/memcached-operator'];

/** The API server learns of a changed role by a watch of its own; until then the operator could do it once more. */
async function refused(kubectl: ReturnType<typeof kubectlOf>, right: string): Promise<void> {
  const [, verb = '', group = '', resource = '', subresource = ''] =
    /^(\w+) ([\w.]*)\/(\w+)\/?(\w*)$/.exec(right) ?? assert.fail(right);
  const asked = [verb, group === '' ? resource : `${resource}.${group}`, `--subresource=${subresource}`];
  await eventually(
    `the API server refuses to ${right}`,
    () => kubectl('auth', 'can-i', ...asked, '--as', operatorUser),
    ({ stdout }) => stdout.trim() === 'no',
  );
}

/** How often the operator has looked at what is in that namespace since then, by its log. */
function passesIn(log: string, namespace: string, sinceMs: number): number {
  const lines = log.split('\n').filter((line) => line.includes('"Reconciling Memcached"'));
  const passes = lines.map((line) => JSON.parse(line) as { readonly ts: string; readonly namespace: string });
  return passes.filter((each) => each.namespace === namespace && Date.parse(each.ts) > sinceMs).length;
}

/** Ends the server in a pod as the kernel would when memory is short: from outside, and without a word. */
async function killServer(kubectl: ReturnType<typeof kubectlOf>, pod: string): Promise<void> {
  const [namespace = '', name = ''] = pod.split('/');
  const uid = await kubectl.ok('get', 'pod', name, '-n', namespace, '-o', 'jsonpath={.metadata.uid}');
  const [pid] = readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    const read = (file: string) => readFileSync(`/proc/${entry}/${file}`, 'utf8');
    try {
      return read('cgroup').includes(`pod${uid}`) && read('cmdline').includes('--memory-limit');
    } catch {
      return false; // it has ended meanwhile
    }
  });
  assert.ok(pid, `no server runs in ${pod}`);
  process.kill(Number(pid), 'SIGKILL');
}

interface Most {
  /** The most that was seen at once. */
  most(): number;
}

/** Follows a Memcached's pods and remembers how many were there at once, terminating ones aside. */
function watchPods(kube: Kubernetes, name: string): Most & AsyncDisposable {
  const alive = new Set<string>();
  let most = 0;
  const columns = '{.type} {.object.metadata.name} {.object.metadata.deletionTimestamp}';
  const watch = watchLines(kube, ['pods', '-l', `app.kubernetes.io/instance=${name}`], columns, (line) => {
    const [type, pod = '', terminating] = line.split(' ');
    if (type === 'DELETED' || terminating) alive.delete(pod);
    else alive.add(pod);
    most = Math.max(most, alive.size);
  });
  return { most: () => most, ...watch };
}

/** Follows a Deployment and remembers how many pods it allowed at once, its surge included. */
function watchAllowed(kube: Kubernetes, name: string): Most & AsyncDisposable {
  let most = 0;
  const columns = '{.object.spec.replicas} {.object.spec.strategy.rollingUpdate.maxSurge}';
  const watch = watchLines(kube, ['deployment', name], columns, (line) => {
    const [replicas, surge] = line.split(' ').map(Number);
    most = Math.max(most, Number(replicas) + Number(surge));
  });
  return { most: () => most, ...watch };
}

/** Gives every event of `kubectl get --watch` to `take`, a line each. */
function watchLines(
  { env }: Kubernetes,
  what: readonly string[],
  columns: string,
  take: (line: string) => void,
): AsyncDisposable {
  const output = ['-o', `jsonpath=${columns}{"\\n"}`];
  const child = spawn('kubectl', ['get', ...what, '--watch', '--output-watch-events', ...output], { env: { ...env } });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      await closed;
    },
  };
}
