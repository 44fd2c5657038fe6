/**
 * The Go world on the embedded cluster: kubectl, and a program on client-go's shared informers (go-client/), which must
 * see there what it sees on a real API server.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  availability,
  type Finished,
  type Kubernetes,
  kubernetesVersion,
  startKubernetes,
} from '@keelson/tools-kubernetes';
import { createCluster, createControllers } from '../../src/index.ts';
import { connectTo } from './real-server.ts';

const found = await availability();
const skip = !isOnPath('go')
  ? 'Go is not on the PATH, and the program on client-go must be built: install Go 1.26 or later.'
  : found.available
    ? false
    : found.reason;

/** What the program must print, step by step, on any Kubernetes. */
const steps = [
  {
    step: 'create',
    server: '1.36',
    generation: 1,
    strategy: 'RollingUpdate',
    pullPolicy: 'IfNotPresent',
    gadget: { colour: 'red', size: 1 },
  },
  { step: 'sync', synced: { Deployment: true, Pod: true, gadgets: true }, deployments: ['web'] },
  { step: 'ready', pods: 2, generation: 1 },
  { step: 'merge patch', pods: 3, generation: 2 },
  { step: 'apply with a conflict', reason: 'Conflict', causes: ['FieldManagerConflict .spec.replicas'] },
  {
    step: 'apply by force',
    pods: 1,
    generation: 3,
    managers: ['go-apply Apply', 'go-client Update'],
    note: 'applied',
  },
  {
    step: 'config map',
    secondApplyWrote: false,
    reason: 'Conflict', // of the update with an old resourceVersion
    causes: [],
    data: { mode: 'fast', level: '2' },
    bytes: 3,
  },
  {
    step: 'custom resource',
    reason: 'Invalid',
    causes: ['FieldValueInvalid spec.size'],
    seen: ['add first of size 1, initial true', 'update first of size 1 to first of size 4'],
    listed: 1,
  },
  { step: 'delete', pods: 0, seen: ['delete first of size 4'] },
];

/** client-go's defaults: protobuf for built-in kinds, and lists as streams, one for each informer. */
const wire = {
  step: 'wire',
  sent: [
    'PATCH application/apply-patch+yaml',
    'PATCH application/merge-patch+json',
    'PATCH application/strategic-merge-patch+json',
    'POST application/json',
    'POST application/vnd.kubernetes.protobuf',
    'PUT application/vnd.kubernetes.protobuf',
  ],
  listsStreamed: 3,
  listsStreamedInVain: 0,
};

describe('the Go world', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-go-client-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let program: string;
  let kube: Kubernetes;
  let cluster: ReturnType<typeof createCluster>;

  before(async () => {
    program = await build();
    kube = await startKubernetes(); // the truth to compare with; its kubectl serves both
    cluster = createCluster();
    const door = await cluster.listen();
    writeFileSync(kubeconfig, door.kubeconfig, { mode: 0o600 });
    await cluster.ready;
  });

  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('a program on client-go sees on a real API server what is expected here', async () => {
    const transport = await connectTo(kube);
    const stop = new AbortController();
    const node = createControllers({ transport, only: ['node'] }); // so that pods become ready there, too
    const stopped = node.start(stop.signal);
    try {
      await node.synced;
      assert.deepEqual(await stepsOf(program, kube.kubeconfig), [
        ...steps,
        { ...wire, received: ['application/json', 'application/vnd.kubernetes.protobuf'] },
      ]);
    } finally {
      stop.abort();
      await stopped;
      await transport[Symbol.asyncDispose]();
    }
  });

  test('the same program sees the same on the embedded cluster, which answers it in JSON', async () => {
    assert.deepEqual(await stepsOf(program, kubeconfig), [...steps, { ...wire, received: ['application/json'] }]);
  });

  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kube.kubectl('--kubeconfig', kubeconfig, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test('kubectl version finds a server of its own version', async () => {
    const { clientVersion, serverVersion } = JSON.parse(await kubectl('version', '-o', 'json')) as Versions;
    assert.equal(clientVersion.gitVersion, kubernetesVersion);
    assert.equal(`v${serverVersion.major}.${serverVersion.minor}`, /^v\d+\.\d+/.exec(kubernetesVersion)?.[0]);
  });

  test('kubectl api-resources shows each resource as on a real API server', async () => {
    const command = ['api-resources', '--no-headers', '-o', 'wide'];
    const real = rowsOf((await kube.kubectl(...command)).stdout);
    const embedded = rowsOf(await kubectl(...command));
    assert.ok(embedded.some((row) => row.startsWith('deployments deploy apps/v1 true Deployment ')));
    assert.deepEqual(
      embedded.filter((row) => !real.includes(row)),
      [],
    );
  });

  test('kubectl reads version 2 of OpenAPI, in protobuf, as on a real API server', async () => {
    for (const kind of ['pods', 'customresourcedefinitions']) {
      const command = ['explain', kind, '--recursive', '--output', 'plaintext-openapiv2'];
      assert.equal(await kubectl(...command), (await kube.kubectl(...command)).stdout);
    }
  });

  // Version 3 has no operation for it, so that kubectl looks into version 2.
  test('kubectl applies a List', async () => {
    const item = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const file = join(dirname(kubeconfig), 'list.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item('first'), item('second')] }));
    assert.deepEqual(rowsOf(await kubectl('apply', '-f', file)), [
      'configmap/first created',
      'configmap/second created',
    ]);
  });

  test('kubectl get -o wide has the columns that a real API server has', async () => {
    await kubectl('create', 'deployment', 'web', '--image=web:1', '--replicas=2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=5m');
    const [headings, row] = rowsOf(await kubectl('get', 'deployments', '-o', 'wide'));
    assert.equal(headings, 'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR');
    assert.match(row ?? '', /^web 2\/2 2 2 \w+ web web:1 app=web$/);
    const pods = rowsOf(await kubectl('get', 'pods', '-o', 'wide'));
    assert.equal(pods.shift(), 'NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES');
    assert.equal(pods.length, 2);
    for (const pod of pods) {
      assert.match(pod, /^web-[a-z0-9]+-[a-z0-9]{5} 1\/1 Running 0 \w+ [\d.]+ \S+ <none> <none>$/);
    }
  });
});

interface Versions {
  readonly clientVersion: { readonly gitVersion: string };
  readonly serverVersion: { readonly major: string; readonly minor: string };
}

/** The lines of a table, whatever the widths of its columns. */
function rowsOf(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '));
}

async function stepsOf(program: string, kubeconfig: string): Promise<unknown[]> {
  const { code, stdout, stderr } = await run(program, [kubeconfig]);
  assert.equal(code, 0, `${stderr}\nafter\n${stdout}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** Builds the program into the cache, outside the checkout; Go itself knows what has changed. */
async function build(): Promise<string> {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const cache = join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'keelson', 'go-client');
  mkdirSync(cache, { recursive: true });
  const target = join(cache, 'go-client');
  const unfinished = `${target}.${process.pid}`;
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
  const { code, stderr } = await run('go', ['build', ...flags, '-o', unfinished, '.'], {
    cwd: fileURLToPath(new URL('./go-client', import.meta.url)),
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
  });
  assert.equal(code, 0, stderr);
  renameSync(unfinished, target);
  return target;
}

function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
