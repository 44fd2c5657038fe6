import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubernetesVersion } from '../src/binaries/versions.ts';
import { availability, thisMachine } from '../src/cluster/availability.ts';
import type { Finished } from '../src/processes/run.ts';
import { FakeMachine, unsuited } from './fake-kubernetes.ts';

const only = { skip: unsuited };

/** One sentence on standard error, nothing on standard output, and a failure. */
function assertSentence({ code, stdout, stderr }: Finished, expected: RegExp): void {
  assert.match(stderr, expected);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.equal(stdout, '');
  assert.equal(code, 1);
}

test('without Go, the sentence says what would have to be built', only, async () => {
  using machine = new FakeMachine();
  assertSentence(await machine.run(['up'], {}), /^Go is not on the PATH, and etcd, kube-apiserver, .* must be built/);
  assert.deepEqual(machine.clusters(), []);
});

test('KUBEBUILDER_ASSETS must be a directory', only, async () => {
  using machine = new FakeMachine();
  const env = { KUBEBUILDER_ASSETS: join(machine.directory, 'nowhere') };
  assertSentence(await machine.run(['up'], env), /^KUBEBUILDER_ASSETS is wrong: .*nowhere is not a directory\.$/m);
});

test('KUBEBUILDER_ASSETS must hold at least one of the programs', only, async () => {
  using machine = new FakeMachine();
  assertSentence(await machine.run(['up']), /^KUBEBUILDER_ASSETS is wrong: .* holds none of etcd, kube-apiserver/);
});

test('a program in KUBEBUILDER_ASSETS that does not run is named', only, async () => {
  using machine = new FakeMachine();
  const path = join(machine.assets, 'kube-apiserver');
  writeFileSync(path, '\u007fELF of another machine');
  chmodSync(path, 0o755);
  assertSentence(await machine.run(['up']), /^KUBEBUILDER_ASSETS is wrong: .*kube-apiserver does not tell its version/);
});

test('without controllers, the programs of envtest are enough', only, async () => {
  using machine = new FakeMachine();
  machine.install('etcd', '3.6.16').install('kubectl', 'v1.30.0');
  machine.install('kube-apiserver', 'v1.30.0', 'echo "Error: no such luck"; exit 1');
  assertSentence(
    await machine.run(['up', '--no-controllers']),
    /^kube-apiserver ended too early: Error: no such luck$/m,
  );
  const env = { ...machine.env, KUBEBUILDER_ASSETS: machine.assets };
  assert.deepEqual(await availability({ controllers: false }, { ...thisMachine(env), env }), { available: true });
});

test('pods without controllers are refused', only, async () => {
  using machine = new FakeMachine();
  assertSentence(await machine.run(['up', '--pods', '--no-controllers']), /^Pods need controllers: /);
});

test('mixed versions are an error that names them', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion).install('kubectl', 'v1.30.0');
  assertSentence(
    await machine.run(['up']),
    /^The versions of Kubernetes are mixed: .*kube-apiserver v1\.36\.4 .*kubectl v1\.30\.0 \(in KUBEBUILDER_ASSETS\)/,
  );
});

test('programs that are missing from KUBEBUILDER_ASSETS must be of its version too', only, async () => {
  using machine = new FakeMachine();
  machine.install('etcd', '3.6.16').install('kube-apiserver', 'v1.30.0').install('kubectl', 'v1.30.0');
  assertSentence(await machine.run(['up']), /mixed: .*kube-scheduler v1\.36\.4 \(to be built\)/);
});

test('another version than the one in KUBEBUILDER_ASSETS cannot be asked for', only, async () => {
  using machine = new FakeMachine();
  machine.installAll('v1.30.0');
  assertSentence(
    await machine.run(['up', '--kubernetes-version', '1.36.4']),
    /^KUBEBUILDER_ASSETS holds Kubernetes v1\.30\.0, but v1\.36\.4 was asked for\.$/m,
  );
});

test('a port that is taken is named', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    const expected = new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken`);
    assertSentence(await machine.run(['up', '--port', String(port)]), expected);
    assert.deepEqual(machine.clusters(), []);
  } finally {
    await new Promise((resolve) => void server.close(resolve));
  }
});

for (const [args, expected] of [
  [['up', '--bogus'], /^error: unknown option '--bogus'$/m],
  [['sideways'], /^error: unknown command 'sideways'$/m],
  [['down', 'everything'], /^error: too many arguments for 'down'/],
  [['up', '--port', 'seven'], /^error: option '--port <port>' argument 'seven' is invalid/],
  [['up', '--kubernetes-version', 'latest'], /^"latest" is not a version of Kubernetes/],
  [['up', '--name', '../elsewhere'], /is not a name for a cluster/],
  [['env'], /^Cluster "default" is not up\.$/m],
  [['exec', '--', 'true'], /^Cluster "default" is not up\.$/m],
] as const) {
  test(`"${args.join(' ')}" is refused in one sentence`, only, async () => {
    using machine = new FakeMachine();
    machine.installAll(kubernetesVersion);
    assertSentence(await machine.run(args), expected);
    assert.deepEqual(machine.clusters(), []);
  });
}

for (const command of ['up', 'down', 'status', 'env', 'exec']) {
  test(`${command} explains itself`, only, async () => {
    using machine = new FakeMachine();
    const { code, stdout } = await machine.run([command, '--help']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Usage: kube ${command} \\[options\\]`));
    assert.match(stdout, /--name <name>/);
  });
}

test('down of what is not up says so and is no failure; status of it is one', only, async () => {
  using machine = new FakeMachine();
  const down = await machine.run(['down']);
  assert.deepEqual([down.code, down.stdout], [0, 'Cluster "default" is not up.\n']);
  assert.equal((await machine.run(['status'])).code, 1);
});

const linux = { ...thisMachine({}), platform: 'linux', arch: 'x64', isRoot: true, capabilities: ~0n };

for (const [name, machine, pods, expected] of [
  ['another system', { ...linux, platform: 'darwin' }, false, /this is darwin on x64\.$/],
  ['another processor', { ...linux, arch: 'riscv64' }, false, /this is linux on riscv64\.$/],
  ['pods without root', { ...linux, isRoot: false }, true, /^Running pods needs root/],
  [
    'pods under a powerless root',
    { ...linux, capabilities: 0n },
    true,
    /needs a root with CAP_NET_ADMIN, .*CAP_SYS_ADMIN/,
  ],
  ['pods without the tools for them', { ...linux, env: { PATH: '' } }, true, / cannot be found on this machine\.$/],
] as const) {
  test(`availability tells why not: ${name}`, async () => {
    const answer = await availability({ pods }, machine);
    assert.ok(!answer.available);
    assert.match(answer.reason, expected);
  });
}

test('availability is given when all programs are at hand, without Go', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const env = { ...machine.env, KUBEBUILDER_ASSETS: machine.assets };
  assert.deepEqual(await availability({}, { ...linux, env }), { available: true });
});
