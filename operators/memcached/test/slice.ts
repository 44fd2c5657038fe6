/**
 * The first slice as a script: one Memcached from `kubectl apply` to `status.nodes`, by kubectl alone.
 *
 * It runs on any cluster on which the definition is installed and the operator runs; the clusters differ only in what
 * is passed in. Each test has names of its own and leaves nothing behind.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export interface SliceCluster {
  /** The environment in which an unmodified kubectl finds the cluster. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Speaks the memcached protocol with a pod (`namespace/name`) from inside its network; absent where pods are simulated. */
  memcached?(pod: string, request: string): Promise<string>;
  /** Kills the server in a pod (`namespace/name`); absent where pods are simulated. */
  killServer?(pod: string): Promise<void>;
}

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Kubectl {
  (...args: string[]): Promise<Finished>;
  /** The output of a call that must succeed. */
  ok(...args: string[]): Promise<string>;
  json<T>(...args: string[]): Promise<T>;
  apply(manifest: string, ...args: string[]): Promise<Finished>;
}

interface PodView {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status: { readonly phase: string };
}

export interface MemcachedView {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly nodes?: readonly string[];
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

interface DeploymentView {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: {
    readonly replicas: number;
    readonly template: object;
  };
  readonly status: { readonly readyReplicas?: number; readonly replicas?: number };
}

export const memcachedManifest = (name: string, spec: object, namespace = 'default', version = 'v1'): string =>
  JSON.stringify({
    apiVersion: `cache.example.com/${version}`,
    kind: 'Memcached',
    metadata: { name, namespace },
    spec,
  });

export function kubectlOf({ env }: SliceCluster, namespace: string): Kubectl {
  const call = async (args: readonly string[], input = ''): Promise<Finished> => {
    const child = spawn('kubectl', ['--namespace', namespace, ...args], { env: { ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  };
  const kubectl = (...args: string[]) => call(args);
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await call(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  return Object.assign(kubectl, {
    ok,
    json: async <T>(...args: string[]) => JSON.parse(await ok(...args, '-o', 'json')) as T,
    apply: (manifest: string, ...args: string[]) => call(['apply', '-f', '-', ...args], manifest),
  });
}

/** Asks again and again, because the world outside has no promise to await; the last answer stands in the failure. */
export async function eventually<T>(what: string, ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  using limit = deadline(systemClock, 300_000, what);
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (limit.signal.aborted) assert.fail(`${what}: not within five minutes; last seen ${JSON.stringify(answer)}`);
    await sleep(systemClock, 100);
  }
}

const podsOf = (name: string) => `app.kubernetes.io/name=memcached,app.kubernetes.io/instance=${name}`;

type Listed = { readonly kind: string } & (MemcachedView | DeploymentView | PodView);

/** What there is of a Memcached, by one call. */
async function seenOf(kubectl: Kubectl, name: string) {
  const { items } = await kubectl.json<{ readonly items: readonly Listed[] }>('get', 'memcacheds,deployments,pods');
  const named = (kind: string) => items.find((each) => each.kind === kind && each.metadata.name === name);
  const { metadata, status } = (named('Memcached') as MemcachedView | undefined) ?? {};
  const pods = items.filter((each) => each.kind === 'Pod') as readonly PodView[];
  return {
    nodes: status?.nodes ?? [],
    // The names of the pods that run and are not being deleted, as `status.nodes` should have them.
    pods: pods
      .filter((each) => each.metadata.labels?.['app.kubernetes.io/instance'] === name)
      .filter((each) => each.status.phase === 'Running' && !each.metadata.deletionTimestamp)
      .map((each) => each.metadata.name)
      .sort(),
    ready: (named('Deployment') as DeploymentView | undefined)?.status.readyReplicas,
    available: status?.conditions?.find(({ type }) => type === 'Available')?.status,
    current: metadata !== undefined && status?.observedGeneration === metadata.generation,
  };
}

/** Waits until `size` pods run, the Deployment counts them ready, and the status names exactly them. */
export async function converged(kubectl: Kubectl, name: string, size: number): Promise<readonly string[]> {
  const { nodes } = await eventually(
    `${name} has ${size} servers`,
    () => seenOf(kubectl, name),
    (seen) =>
      seen.pods.length === size &&
      seen.ready === size &&
      seen.available === 'True' &&
      seen.current &&
      seen.nodes.join() === seen.pods.join(),
  );
  return nodes;
}

/** Registers the tests of the script, some of which run at a time; `cluster` is asked for when they run. */
export function sliceTests(cluster: () => SliceCluster): void {
  // Not more: a node of two cores has room for twenty servers.
  describe('the script of the slice', { concurrency: 3 }, () => registerTests(cluster));
}

function registerTests(cluster: () => SliceCluster): void {
  const namespace = 'slice';
  let kubectl: Kubectl;

  before(async () => {
    kubectl = kubectlOf(cluster(), namespace);
    await kubectl.ok('create', 'namespace', namespace);
    // The pods meet the restricted Pod Security Standard, or a server that enforces it would refuse them.
    await kubectl.ok('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
  });
  after(() => kubectl('delete', 'namespace', namespace, '--wait=false'));

  const create = async (name: string, size: number) => {
    const { code, stderr } = await kubectl.apply(memcachedManifest(name, { size }, namespace));
    assert.equal(code, 0, stderr);
    return converged(kubectl, name, size);
  };
  const remove = async (name: string) => {
    await kubectl.ok('delete', 'memcached', name);
    await eventually(
      `nothing of ${name} is left`,
      async () => (await kubectl.ok('get', 'deployments,replicasets,pods', '-l', podsOf(name), '-o', 'name')).trim(),
      (left) => left === '',
    );
  };

  test('a Memcached of size 3 becomes 3 servers that are named in its status and answer', async () => {
    const { code, stdout } = await kubectl.apply(memcachedManifest('three', { size: 3 }, namespace));
    assert.equal(code, 0);
    assert.match(stdout, /memcached\.cache\.example\.com\/three created/);
    assert.match(
      await kubectl.ok('wait', '--for=condition=Available', 'memcached/three', '--timeout=5m'),
      /memcached\.cache\.example\.com\/three condition met/,
    );
    const nodes = await converged(kubectl, 'three', 3);
    assert.equal(nodes.length, 3);
    assert.match(await kubectl.ok('get', 'deployment', 'three'), /three\s+3\/3\s+3\s+3/);
    const { memcached } = cluster();
    for (const node of memcached ? nodes : []) {
      const answer = await memcached?.(
        `${namespace}/${node}`,
        'version\r\nset greeting 0 0 5\r\nhello\r\nget greeting\r\nquit\r\n',
      );
      assert.match(answer ?? '', /^VERSION \S+\r\nSTORED\r\nVALUE greeting 0 5\r\nhello\r\nEND\r\n$/, node);
    }
    await remove('three');
  });

  test('memory and arguments reach the server, and those that would break it are refused', async () => {
    const config = { maxConnections: 512, threads: 2, maxItemSize: '2Mi' };
    const tuned = (extraArgs: readonly string[]) =>
      kubectl.apply(memcachedManifest('tuned', { memory: '128Mi', config: { ...config, extraArgs } }, namespace));
    const { code, stderr } = await tuned(['-p', '11212']);
    assert.notEqual(code, 0);
    assert.match(stderr, /spec\.config\.extraArgs: Invalid value.* find a server on port 11211 of its pod/s);
    assert.equal((await tuned(['--disable-cas'])).code, 0);
    const [node] = await converged(kubectl, 'tuned', 1);
    const { memcached } = cluster();
    const settings = await memcached?.(`${namespace}/${node}`, 'stats settings\r\nquit\r\n');
    for (const line of [
      'maxbytes 134217728',
      'maxconns 512',
      'num_threads 2',
      'item_size_max 2097152',
      'cas_enabled no',
    ]) {
      if (settings !== undefined) assert.ok(settings.includes(`STAT ${line}\r\n`), settings);
    }
    await remove('tuned');
  });

  test('the names in the status follow size 5 and then size 3', async () => {
    const first = await create('resized', 3);
    await kubectl.ok('patch', 'memcached', 'resized', '--type=merge', '-p', '{"spec":{"size":5}}');
    const five = await converged(kubectl, 'resized', 5);
    assert.ok(
      first.every((name) => five.includes(name)),
      'growing keeps the servers that run',
    );
    await kubectl.ok('patch', 'memcached', 'resized', '--type=merge', '-p', '{"spec":{"size":3}}');
    const three = await converged(kubectl, 'resized', 3);
    assert.ok(
      three.every((name) => five.includes(name)),
      'shrinking starts no new servers',
    );
    await remove('resized');
  });

  test('both versions are served: what is applied in one is read in the other, and nothing is lost', async () => {
    const specIn = async (version: string) =>
      (await kubectl.json<{ readonly spec: object }>('get', `memcacheds.${version}.cache.example.com`, 'both')).spec;
    const older = { size: 1, memoryLimit: '128Mi', args: ['--disable-cas'], podLabels: { team: 'web' } };
    const apply = (spec: object) => kubectl.apply(memcachedManifest('both', spec, namespace, 'v1alpha1'));
    assert.equal((await apply(older)).code, 0);
    await converged(kubectl, 'both', 1);
    const newer = {
      size: 1,
      memory: '128Mi',
      config: { extraArgs: ['--disable-cas'] },
      pod: { labels: { team: 'web' }, resources: { limits: {} } },
      workload: 'Deployment',
      updatePolicy: 'Auto',
    };
    assert.deepEqual(await specIn('v1'), newer);
    assert.deepEqual(await specIn('v1alpha1'), older);

    // Seven servers are more than v1alpha1 takes, and threads are nothing that it has a word for.
    const patch = JSON.stringify({ spec: { size: 7, paused: true, config: { threads: 2 } } });
    await kubectl.ok('patch', 'memcacheds.v1.cache.example.com', 'both', '--type=merge', '-p', patch);
    const read = await kubectl.ok('get', 'memcacheds.v1alpha1.cache.example.com', 'both', '-o', 'json');
    assert.deepEqual((JSON.parse(read) as { readonly spec: object }).spec, { ...older, size: 7, paused: true });
    await kubectl.ok('label', 'memcacheds.v1alpha1.cache.example.com', 'both', 'seen=true');
    const grown = { ...newer, size: 7, paused: true, config: { ...newer.config, threads: 2 } };
    assert.deepEqual(await specIn('v1'), grown);
    const more = JSON.stringify({ spec: { size: 8 } });
    const refused = await kubectl('patch', 'memcacheds.v1alpha1.cache.example.com', 'both', '--type=merge', '-p', more);
    assert.match(refused.stderr, /spec\.size: Invalid value: 8: spec\.size in body should be less than or equal to 5/);

    assert.equal((await apply({ ...older, size: 2, args: undefined })).code, 0);
    const { config: _, ...applied } = { ...grown, size: 2 };
    assert.deepEqual(await specIn('v1'), { ...applied, config: { threads: 2 } });
    await remove('both');
  });

  test('a size that is not a whole number from 1 on is refused with the field and the reason', async () => {
    const cases: readonly [unknown, RegExp][] = [
      [0, /spec\.size: Invalid value: 0: spec\.size in body should be greater than or equal to 1/],
      [1001, /spec\.size: Invalid value: 1001: spec\.size in body should be less than or equal to 1000/],
      [-1, /spec\.size: Invalid value: -1: spec\.size in body should be greater than or equal to 1/],
      [1.5, /spec\.size: Invalid value: "float64": spec\.size in body must be of type int32/],
      ['3', /spec\.size: Invalid value: "string": spec\.size in body must be of type integer/],
    ];
    for (const [size, message] of cases) {
      const { code, stderr } = await kubectl.apply(memcachedManifest('refused', { size }, namespace));
      assert.equal(code, 1, String(size));
      assert.match(stderr, message);
    }
    assert.notEqual((await kubectl('get', 'memcached', 'refused')).code, 0);
  });

  test('a size that is left out is 1', async () => {
    assert.equal((await kubectl.apply(memcachedManifest('defaulted', {}, namespace))).code, 0);
    await converged(kubectl, 'defaulted', 1);
    assert.equal(await kubectl.ok('get', 'memcached', 'defaulted', '-o', 'jsonpath={.spec.size}'), '1');
    await remove('defaulted');
  });

  test('a name of 64 characters is refused, one of 63 is not', async () => {
    const dry = (name: string) => kubectl.apply(memcachedManifest(name, { size: 1 }, namespace), '--dry-run=server');
    const { code, stderr } = await dry('n'.repeat(64));
    assert.equal(code, 1);
    assert.match(stderr, /metadata\.name may have at most 63 characters/);
    assert.equal((await dry('n'.repeat(63))).code, 0);
  });

  test('a deleted pod, a killed server, a deleted Deployment and whatever a hand changed are repaired', async () => {
    const [gone = '', killed = ''] = await create('repaired', 3);
    const deployment = () => kubectl.json<DeploymentView>('get', 'deployment', 'repaired');
    const service = () => kubectl.json<{ readonly spec: object }>('get', 'service', 'repaired');
    const before = await deployment();
    const { spec: serviceSpec } = await service();

    const { killServer } = cluster();
    await killServer?.(`${namespace}/${killed}`);
    await kubectl.ok('delete', 'pod', gone);
    if (killServer) {
      const restarts = 'jsonpath={.status.containerStatuses[0].restartCount}';
      await eventually(
        'another server in the pod of the killed one',
        () => kubectl.ok('get', 'pod', killed, '-o', restarts),
        (count) => Number(count) >= 1,
      );
    }
    assert.ok(!(await converged(kubectl, 'repaired', 3)).includes(gone));

    const probe = '/spec/template/spec/containers/0/readinessProbe/periodSeconds';
    for (const [what, ...change] of [
      ['scale', 'deployment', 'repaired', '--replicas=5'],
      ['set', 'image', 'deployment/repaired', 'memcached=busybox:1'],
      [
        'patch',
        'deployment',
        'repaired',
        '--type=json',
        '-p',
        JSON.stringify([{ op: 'replace', path: probe, value: 1 }]),
      ],
    ] as const) {
      await kubectl.ok(what, ...change);
      await eventually(`${what} is taken back`, deployment, ({ spec }) => isDeepStrictEqual(spec, before.spec));
    }
    const port = [{ op: 'replace', path: '/spec/ports/0/port', value: 11212 }];
    await kubectl.ok('patch', 'service', 'repaired', '--type=json', '-p', JSON.stringify(port));
    await eventually('the port is taken back', service, ({ spec }) => isDeepStrictEqual(spec, serviceSpec));
    await converged(kubectl, 'repaired', 3);
    assert.equal((await deployment()).metadata.uid, before.metadata.uid);

    await kubectl.ok('delete', 'deployment', 'repaired');
    await converged(kubectl, 'repaired', 3);
    const after = await deployment();
    assert.notEqual(after.metadata.uid, before.metadata.uid);
    assert.deepEqual(
      after.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
      ['Memcached repaired'],
    );
    await remove('repaired');
  });

  test('two Memcacheds in one namespace keep their own pods', async () => {
    const [left, right] = await Promise.all([create('left', 2), create('right', 1)]);
    assert.ok(left.every((name) => name.startsWith('left-')));
    assert.ok(right.every((name) => name.startsWith('right-')));
    await remove('left');
    assert.deepEqual(await converged(kubectl, 'right', 1), right, 'the other one is untouched');
    await remove('right');
  });

  test('a Deployment of the same name that belongs to someone else is left alone, and the user is told', async () => {
    await kubectl.ok('create', 'deployment', 'taken', '--image=registry.example/none', '--replicas=0');
    const before = await kubectl.json<DeploymentView>('get', 'deployment', 'taken');
    assert.equal((await kubectl.apply(memcachedManifest('taken', { size: 1 }, namespace))).code, 0);

    const { status } = await eventually(
      'the condition says so',
      () => kubectl.json<MemcachedView>('get', 'memcached', 'taken'),
      (memcached) => memcached.status?.conditions?.some(({ reason }) => reason === 'DeploymentNotControlled') === true,
    );
    const degraded = status?.conditions?.find(({ type }) => type === 'Degraded');
    assert.equal(degraded?.status, 'True');
    assert.match(
      degraded?.message ?? '',
      /^Deployment slice\/taken exists and was not made by this controller; it is left alone\./,
    );
    await eventually(
      'an Event says so',
      () => kubectl.ok('describe', 'memcached', 'taken'),
      (text) => /Warning\s+DeploymentNotControlled/.test(text),
    );
    const after = await kubectl.json<DeploymentView>('get', 'deployment', 'taken');
    assert.deepEqual(after.spec, before.spec);
    assert.equal(after.metadata.ownerReferences, undefined);

    await kubectl.ok('delete', 'deployment', 'taken');
    await converged(kubectl, 'taken', 1);
    await remove('taken');
  });

  test('kubectl shows it as it shows built-in kinds', async () => {
    await create('shown', 1);
    const listed = await kubectl.ok('get', 'memcacheds');
    assert.match(listed, /^NAME\s+SIZE\s+READY\s+AVAILABLE\s+DEGRADED\s+AGE\n/);
    assert.match(listed, /^shown\s+1\s+1\s+True\s+False\s+\w+$/m);
    assert.match(await kubectl.ok('get', 'memcached', 'shown', '-o', 'yaml'), /\n {2}nodes:\n {2}- shown-/);
    const described = await eventually(
      'describe shows the Event',
      () => kubectl.ok('describe', 'memcached', 'shown'),
      (text) => /Normal\s+AllServersReady/.test(text),
    );
    assert.match(described, /Kind:\s+Memcached/);
    assert.match(
      await kubectl.ok('explain', 'memcacheds.spec'),
      /size\s+<integer>[\s\S]*How many Memcached servers to run/,
    );
    await remove('shown');
  });

  test('kubectl get --watch shows a change as it happens', async () => {
    await create('watched', 1);
    const watch = spawn('kubectl', ['-n', namespace, 'get', 'memcached', 'watched', '--watch', '--no-headers'], {
      env: { ...cluster().env },
    });
    let seen = '';
    watch.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    try {
      await eventually(
        'the first line',
        async () => seen,
        (text) => /^watched\s+1\s+1\s+True/m.test(text),
      );
      await kubectl.ok('patch', 'memcached', 'watched', '--type=merge', '-p', '{"spec":{"size":2}}');
      await eventually(
        'the new size',
        async () => seen,
        (text) => /^watched\s+2\s+2\s+True/m.test(text),
      );
    } finally {
      watch.kill();
      await once(watch, 'close');
    }
    await remove('watched');
  });
}
