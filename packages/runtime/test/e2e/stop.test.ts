/** SIGTERM while a real API server takes requests and answers nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { crdOf } from '@keelson/schema';
import { availability, startForwarder, startKubernetes } from '@keelson/tools-kubernetes';
import { newWidget, Widget } from '../widget.ts';

const found = await availability();
const main = fileURLToPath(new URL('../forgetful-operator.ts', import.meta.url));

test('an operator whose API server hangs stops within the 30 s that a pod has, in order', {
  skip: found.available ? false : found.reason,
}, async (t) => {
  await using kube = await startKubernetes();
  await using forwarder = await startForwarder(kube.server);
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Widget)]);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-stop-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, (await readFile(kube.kubeconfig, 'utf8')).replaceAll(kube.server, forwarder.url), {
    mode: 0o600,
  });
  const flags = ['--kubeconfig', kubeconfig, '--health-port', '0', '--metrics-port', '0', '--log-format', 'json'];
  const start = (...more: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...flags, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
    const log: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
    return { child, log, exited: once(child, 'exit') };
  };
  const operators = [start(), start('--leader-elect')];
  try {
    await client.create(Widget, newWidget('a', 'call'));
    using limit = deadline(systemClock, 300_000, 'the passes begin');
    // Each says with its own last word before it calls on and on that it has begun.
    while (!operators.every(({ log }) => log.join('').includes('calling on and on'))) {
      limit.signal.throwIfAborted();
      await sleep(systemClock, 20);
    }
    forwarder.stall();
    const begunMs = systemClock.monotonic();
    const stops = operators.map(async ({ child, log, exited }) => {
      child.kill('SIGTERM');
      await exited;
      const tookMs = Math.round(systemClock.monotonic() - begunMs);
      assert.ok(tookMs < 30_000, `${tookMs} ms\n${log.join('')}`);
      assert.equal(child.exitCode, 0, log.join(''));
      assert.match(log.join(''), /"msg":"Stopped"/);
      return tookMs;
    });
    t.diagnostic(`after ${(await Promise.all(stops)).join(' and ')} ms`);
  } finally {
    for (const { child } of operators) child.kill('SIGKILL');
    forwarder.resume();
    await rm(folder, { recursive: true });
  }
});
