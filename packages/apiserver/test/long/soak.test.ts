import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, loadConfig } from '@keelson/client';
import { startServer, Talk } from '../fixtures.ts';
import { heldBytes, soak } from '../soak.ts';

test('an hour of changes over HTTPS leaves no more in memory than twenty minutes of them', async (t) => {
  await using started = startServer();
  const { server, clock } = started;
  await using door = await server.listen();
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, door.kubeconfig);
  await using transport = connect(await loadConfig({ kubeconfig }));
  const talk = new Talk(transport);
  const pass = async () => clock.advance(1000);
  await soak(talk, { rounds: 1200, pass });
  const before = heldBytes();
  await soak(talk, { rounds: 2400, pass });
  const grown = heldBytes() - before;
  t.diagnostic(
    `${Math.round(before / 1000)} kB are held after 20 minutes, ${Math.round(grown / 1000)} kB more after 60`,
  );
  assert.ok(grown < 5_000_000, `${Math.round(grown / 1000)} kB more are held`);
});
