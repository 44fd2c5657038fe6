/** The programs that are measured compile, find what they import, and say what they took. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { type Published, publishClient } from '../src/stage/published.ts';
import { Stage } from '../src/stage/stage.ts';

let published: Published;
let folder: string;

const clientStage = () => new Stage(join(published.subjects, 'client'), systemClock);

before(() => {
  published = publishClient();
  folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
});

after(() => {
  published[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

test('the limit reads every line, and keeps the objects', async () => {
  const file = join(folder, 'events');
  const text = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a'.repeat(1000), managedFields: [] } } })}\n`;
  writeFileSync(file, text.repeat(1000)); // several pieces of a reading, cut in the middle of lines
  const { cached, cpuMs, wallMs, peakMb } = await clientStage().run('limit', 'keep', file);
  assert.equal(cached, 1000);
  for (const figure of [cpuMs, wallMs, peakMb]) assert.ok(figure !== undefined && figure > 0);
});

for (const [side, words] of [
  ['ours', 'connection refused'],
  ['peer', 'fetch failed'],
] as const) {
  test(`without a server, ${side} ends without a figure, and says why`, async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'nowhere',
        clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'nobody', user: { token: 'none' } }],
        contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'nobody' } }],
      }),
    );
    await assert.rejects(
      clientStage().run(side, 'start', kubeconfig, 'default'),
      new RegExp(`has ended without a figure: .*${words}`, 's'),
    );
  });
}
