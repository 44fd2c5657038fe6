/** `npm start` on the cluster in its process: how it begins, and how it ends. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { printed, start } from './start-process.ts';

test('within one second it says that it is alive', async () => {
  const took: number[] = [];
  // The best of some: a busy machine says nothing about the program.
  while (took.length < 5 && !took.some((ms) => ms < 1000)) {
    const begun = systemClock.monotonic();
    const demo = start([]);
    await printed(demo, /^Starting a Kubernetes cluster/);
    took.push(systemClock.monotonic() - begun);
    demo.kill('SIGKILL');
    await demo.ended;
  }
  assert.ok(Math.min(...took) < 1000, `the first line came after ${took.map(Math.round).join(', ')} ms`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} stops it: one line says so, and nothing is left`, async () => {
    const demo = start([]);
    const [, kubeconfig = ''] = await printed(demo, /export KUBECONFIG=(\S+)/);
    await printed(demo, /Available=True/);
    const before = demo.printed().length;
    demo.kill(signal);
    assert.equal(await demo.ended, 0, demo.printed());
    const lines = demo.printed().slice(before).trimEnd().split('\n');
    assert.match(lines.at(-1) ?? '', /INFO {2}Stopped$/);
    assert.equal(lines.filter((line) => /\bstopped\b/i.test(line)).length, 1, lines.join('\n'));
    assert.ok(!existsSync(kubeconfig), kubeconfig);
  });
}
