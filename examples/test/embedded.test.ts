import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { testExamples } from './examples.ts';

describe('the examples on the embedded cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-examples-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = createCluster();

  before(async () => {
    const door = await cluster.listen();
    writeFileSync(kubeconfig, door.kubeconfig, { mode: 0o600 });
    await cluster.ready;
  });

  after(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  testExamples(() => kubeconfig);
});
