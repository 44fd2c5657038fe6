import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { findCluster } from '../../src/cluster-directory/record.ts';
import { availability } from '../../src/index.ts';
import { findOnPath } from '../../src/machine/find-on-path.ts';
import { until } from '../../src/machine/wait.ts';
import { recordedProcesses } from '../../src/processes/ledger.ts';
import { isRunning } from '../../src/processes/process-table.ts';
import { run } from '../../src/processes/run.ts';
import { kube, kubeInShell, startKube } from './kube-command.ts';
import { assertUnchanged, machineState } from './machine-state.ts';

const available = await availability({ pods: true });
const only = { skip: available.available ? false : available.reason };

// From the first thing that up starts to the last, the node's own process 1 included.
for (const process of ['node-namespaces', 'node', 'containerd', 'kube-apiserver', 'kubelet']) {
  test(`down cleans up after an up that was killed when ${process} was started`, only, async (t) => {
    const name = 'e2e-crash';
    await kube('down', '--name', name);
    t.after(() => kube('down', '--name', name));
    const before = await machineState();

    const up = startKube('up', '--pods', '--name', name);
    const recorded = () => {
      const cluster = findCluster(name, globalThis.process.env);
      return cluster && recordedProcesses(cluster.layout.ledger);
    };
    await until(() => recorded()?.find((found) => found.name === process), {
      clock: systemClock,
      what: process,
      deadlineMs: 300_000,
      everyMs: 1,
    });
    up.kill('SIGKILL');
    await new Promise((resolve) => void up.on('close', resolve));
    assert.ok(
      recorded()?.some(({ identity }) => isRunning(identity)),
      'something is left to clean up',
    );

    assert.equal((await kube('down', '--name', name)).code, 0);
    await assertUnchanged(before);
  });
}

const hasGo = findOnPath('go', globalThis.process.env.PATH ?? '') !== undefined;

test('without space, up says so before it builds anything', {
  skip: only.skip || (!hasGo && 'Go is not on the PATH'),
}, async () => {
  const cache = mkdtempSync(join(tmpdir(), 'keelson-no-space-'));
  try {
    // The small disk exists in a mount namespace of its own, and goes away with it.
    const script = `mount -t tmpfs -o size=32m none '${cache}' && XDG_CACHE_HOME='${cache}' ${kubeInShell} up`;
    const { code, stderr } = await run(['unshare', '--mount', 'sh', '-c', script], {
      env: { ...globalThis.process.env, KUBEBUILDER_ASSETS: '' },
    });
    assert.match(stderr, /^No space: keeping the programs of Kubernetes needs 0\.6 GB in .*, and 0\.0 GB are free\.$/m);
    assert.equal(code, 1);
  } finally {
    rmSync(cache, { recursive: true });
  }
});
