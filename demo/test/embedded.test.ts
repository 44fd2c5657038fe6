/** `npm start` on the cluster in its process: how it begins, and how it ends. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { firstLine, printed, start } from './start-process.ts';

test('within one second it says that it is alive', async () => {
  assert.match(await firstLine([]), /^Starting a Kubernetes cluster/);
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
