import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { alone } from '../src/machine/lock.ts';
import { FakeMachine, unsuited } from './fake-kubernetes.ts';

const only = { skip: unsuited };

function listener() {
  const said: string[] = [];
  return { said, progress: { say: (line: string) => void said.push(line), begin: () => assert.fail() } };
}

test('the second waits, says for whom, and runs when the first is done', only, async () => {
  using machine = new FakeMachine();
  const file = join(machine.directory, 'lock');
  const order: string[] = [];
  let second: Promise<unknown> = Promise.resolve();
  await alone(file, 'building', listener(), async () => {
    await new Promise<void>((resolve) => {
      const say = (line: string) => {
        order.push(line);
        resolve();
      };
      const progress = { say, begin: () => assert.fail() };
      second = alone(file, 'building', { progress }, async () => void order.push('second'));
    });
    order.push('first');
  });
  await second;
  assert.deepEqual(order, [`Waiting for process ${process.pid}, which is building.`, 'first', 'second']);
});

test('the lock of a process that was killed is free', only, async () => {
  using machine = new FakeMachine();
  const file = join(machine.directory, 'lock');
  const library = JSON.stringify(new URL('../src/machine/lock.ts', import.meta.url).href);
  const script = `const { alone } = await import(${library});
    await alone(${JSON.stringify(file)}, 'building', { progress: {} }, () => {
      console.log('held');
      return new Promise((resolve) => process.stdin.on('end', resolve).resume());
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => void holder.stdout.once('data', resolve));
  holder.kill('SIGKILL');
  await new Promise((resolve) => void holder.on('close', resolve));
  const { progress } = listener();
  assert.equal(await alone(file, 'building', { progress }, async () => 'ours'), 'ours');
});

test('the lock is given back when the work fails', only, async () => {
  using machine = new FakeMachine();
  const file = join(machine.directory, 'lock');
  const { said, progress } = listener();
  await assert.rejects(
    alone(file, 'building', { progress }, () => Promise.reject(new RangeError('no luck'))),
    RangeError,
  );
  assert.equal(await alone(file, 'building', { progress }, async () => 1), 1);
  assert.deepEqual(said, []);
});

test('who waits can be called off', only, async () => {
  using machine = new FakeMachine();
  const file = join(machine.directory, 'lock');
  const controller = new AbortController();
  await alone(file, 'building', listener(), async () => {
    const progress = { say: () => controller.abort(), begin: () => assert.fail() };
    await assert.rejects(
      alone(file, 'building', { progress, signal: controller.signal }, () => assert.fail()),
      { name: 'AbortError' },
    );
  });
});
