import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { kubernetesVersion } from '../src/binaries/versions.ts';
import { until } from '../src/machine/wait.ts';
import { closeLedger, launch, ledgerIn, openLedger, recorded, recordedProcesses } from '../src/processes/ledger.ts';
import { identify, isRunning, type ProcessIdentity } from '../src/processes/process-table.ts';
import { FakeMachine, unsuited } from './fake-kubernetes.ts';

const only = { skip: unsuited };

const ended = (identity: ProcessIdentity) =>
  until(() => (isRunning(identity) ? undefined : true), { clock: systemClock, what: 'the end', deadlineMs: 120_000 });

test('a program that ends too early is named with the reason from its log, and nothing is left', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion, 'echo "I0101 starting"; echo "Error: no such luck"; sleep 1; exit 1');
  const command = machine.start(['up']);
  const processes = await machine.processes('kube-apiserver');
  const { code, stderr } = await command.finished;
  assert.equal(stderr, 'kube-apiserver ended too early: Error: no such luck\n');
  assert.equal(code, 1);
  assert.equal(processes.length, 2);
  for (const { identity } of processes) assert.equal(isRunning(identity), false);
  assert.deepEqual(machine.clusters(), []);
});

test('an interrupted up leaves nothing and exits as shells have it', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const command = machine.start(['up']);
  const processes = await machine.processes('kube-apiserver');
  command.signal('SIGINT');
  const { code, stderr } = await command.finished;
  assert.equal(stderr, 'Interrupted; nothing is left behind.\n');
  assert.equal(code, 130);
  for (const { identity } of processes) assert.equal(isRunning(identity), false);
  assert.deepEqual(machine.clusters(), []);
});

test('after up is killed in the middle, status and up say so, and down ends what it started', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const command = machine.start(['up']);
  const processes = await machine.processes('kube-apiserver');
  command.signal('SIGKILL');
  await command.finished;
  assert.ok(
    processes.every(({ identity }) => isRunning(identity)),
    'they outlive the process that started them',
  );

  assert.match((await machine.run(['status'])).stdout, /^Cluster "default" was left behind/);
  assert.match((await machine.run(['up'])).stderr, /^Cluster "default" was left behind by an "up" that did not end/);
  assert.equal((await machine.run(['down'])).code, 0);
  for (const { identity } of processes) assert.equal(isRunning(identity), false);
  assert.deepEqual(machine.clusters(), []);
});

test('a second up of the same name is told who is at it, and a down in between ends the first', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const first = machine.start(['up']);
  await machine.processes('kube-apiserver');
  assert.match(
    (await machine.run(['up'])).stderr,
    new RegExp(`^Cluster "default" is being started by process ${first.pid};`),
  );
  assert.equal((await machine.run(['down'])).code, 0);
  const { code, stderr } = await first.finished;
  assert.match(stderr, /^(etcd|kube-apiserver) ended too early: /);
  assert.equal(code, 1);
  assert.deepEqual(machine.clusters(), []);
});

test('down leaves a process alone that has the id of one of ours but not its start time', only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const command = machine.start(['up']);
  await machine.processes('kube-apiserver');
  command.signal('SIGKILL');
  await command.finished;

  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const identity = identify(stranger.pid ?? 0);
    assert.ok(identity);
    const earlier = `${identity.pid} (sleep) S ${'0 '.repeat(18)}${Number(identity.startTime) - 1} 0`;
    writeFileSync(join(machine.layout().ledger.records, 'recycled'), earlier);
    assert.equal((await machine.run(['down'])).code, 0);
    assert.ok(isRunning(identity));
  } finally {
    stranger.kill('SIGKILL');
  }
});

test("a killed test's cluster is swept away by the next command that may", only, async () => {
  using machine = new FakeMachine();
  machine.installAll(kubernetesVersion);
  const library = JSON.stringify(new URL('../src/index.ts', import.meta.url).href);
  const script = `const { startKubernetes } = await import(${library}); await startKubernetes();`;
  const env = { ...machine.env, KUBEBUILDER_ASSETS: machine.assets };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: 'ignore' });
  const processes = await machine.processes('kube-apiserver', `test-${child.pid}-1`);
  child.kill('SIGKILL');
  await new Promise((resolve) => void child.on('close', resolve));

  const { stdout } = await machine.run(['down']);
  assert.match(stdout, new RegExp(`^Cluster "test-${child.pid}-1", whose test was killed, is down\\.$`, 'm'));
  for (const { identity } of processes) assert.equal(isRunning(identity), false);
  assert.deepEqual(machine.clusters(), []);
});

test('a process is on record with the id and the start time it really has', only, async () => {
  using machine = new FakeMachine();
  const ledger = ledgerIn(machine.directory);
  openLedger(ledger, 'only');
  const started = launch(ledger, 'sleeper', ['sleep', '600'], { env: machine.env });
  try {
    const record = await until(() => recordedProcesses(ledger)[0], {
      clock: systemClock,
      what: 'a record',
      deadlineMs: 120_000,
    });
    assert.deepEqual(record, { name: 'sleeper', identity: started.identity });
  } finally {
    await closeLedger(ledger, systemClock);
  }
  assert.equal(isRunning(started.identity), false);
});

test('once the ledger is closed, no program begins', only, async () => {
  using machine = new FakeMachine();
  const ledger = ledgerIn(machine.directory);
  const trace = join(machine.directory, 'trace');
  openLedger(ledger, 'only');
  await closeLedger(ledger, systemClock);
  const late = launch(ledger, 'late', ['sh', '-c', `: >'${trace}'; exec sleep 600`], { env: machine.env });
  await ended(late.identity);
  assert.equal(existsSync(trace), false);
});

test('a process that is late by a whole cluster joins none, and takes nobody off the record', only, async () => {
  using machine = new FakeMachine();
  const ledger = ledgerIn(machine.directory);
  openLedger(ledger, 'first');
  const trace = join(machine.directory, 'trace');
  const [program, ...args] = recorded(ledger, 'scheduler', ['sh', '-c', `: >'${trace}'`]);
  await closeLedger(ledger, systemClock);
  openLedger(ledger, 'second');
  const started = launch(ledger, 'scheduler', ['sleep', '600'], { env: machine.env });
  try {
    const record = () => recordedProcesses(ledger)[0];
    await until(record, { clock: systemClock, what: 'a record', deadlineMs: 120_000 });
    const late = spawn(program, args, { env: machine.env, stdio: 'ignore' });
    await once(late, 'close');
    assert.equal(existsSync(trace), false);
    assert.deepEqual(record()?.identity, started.identity);
  } finally {
    await closeLedger(ledger, systemClock);
  }
});

test('a directory that up only just made is removed by down', only, async () => {
  using machine = new FakeMachine();
  mkdirSync(machine.layout().directory, { recursive: true });
  assert.equal((await machine.run(['down'])).stdout, 'Cluster "default" is down.\n');
  assert.deepEqual(machine.clusters(), []);
});
