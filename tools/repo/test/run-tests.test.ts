/** What Ctrl-C, or CI that gives up, does to a run of tests: it ends, with all its processes, and has failed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { test } from 'node:test';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

const runner = new URL('../src/run-tests.ts', import.meta.url).href;

test('a run that is interrupted ends the process of each file, and counts the files as failed', {
  timeout: 300_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-interrupted-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const endless = join(folder, 'endless.mjs');
  writeFileSync(
    endless,
    `import { test } from 'node:test';
     test('never ends', () => new Promise(() => { console.log('pid', process.pid); setInterval(() => {}, 1000); }));`,
  );
  const files = JSON.stringify([endless, endless]);
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { runTests } from '${runner}';
     console.log(JSON.stringify(await runTests(${files}, 1)));`,
  );
  const { NODE_TEST_CONTEXT: _, ...rest } = env; // or the runner believes that it is a child of ours
  const child = spawn(execPath, [program], { env: rest });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const [, found] = /pid (\d+)\n/.exec(printed) ?? [];
      if (found) resolve(Number(found));
    });
    child.once('close', () => reject(new Error(printed)));
  });

  child.kill('SIGTERM');

  await ended;
  assert.match(printed, /^\{"passed":0,"failed":2,"skipped":\[\]\}$/m);
  using limit = deadline(systemClock, 60_000, 'the process of the file ends');
  while (isThere(pid)) {
    limit.signal.throwIfAborted();
    await sleep(systemClock, 20);
  }
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
