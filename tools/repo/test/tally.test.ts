/** The tally, on events of the real runner, and what is said when there is nothing to run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const tests = `
import { describe, it, test } from 'node:test';
test('passes', () => {});
test('fails', () => { throw new Error('on purpose'); });
test('skipped by option', { skip: 'not today' }, () => {});
test('skipped while it runs', (t) => t.skip());
describe('a suite', () => {
  it('passes', () => {});
  it('fails', () => { throw new Error('on purpose'); });
});
describe('a skipped suite', { skip: 'no Kubernetes' }, () => {
  it('is never reported', () => {});
});
`;

for (const isolation of ['none', 'process']) {
  test(`the tally is right with isolation ${isolation}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-tally-'));
    try {
      const file = join(folder, 'a.test.mjs');
      writeFileSync(file, tests);
      const reporter = new URL('../src/tally.ts', import.meta.url).href;
      const { NODE_TEST_CONTEXT: _, ...rest } = env; // or the runner believes that it is a child of ours
      const args = ['--test', `--test-isolation=${isolation}`, `--test-reporter=${reporter}`, file];
      const { stdout } = spawnSync(execPath, args, { encoding: 'utf8', env: rest });
      assert.deepEqual(JSON.parse(stdout), {
        passed: 2,
        failed: 2,
        skipped: [
          { name: 'skipped by option', reason: 'not today' },
          { name: 'skipped while it runs', reason: 'no reason given' },
          { name: 'a skipped suite', reason: 'no Kubernetes' },
        ],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('a file that is none of the suite is answered with the places that count, and how to run it', () => {
  const file = fileURLToPath(new URL('../src/test.ts', import.meta.url));
  const { stdout, status } = spawnSync(execPath, [file, 'real', 'my-operator/x.test.ts'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(
    stdout,
    /no real tests in those files: they are test\/e2e\/\*\.test\.ts, in packages\/\*, .*, examples\.\n/,
  );
  assert.match(stdout, /run by: npx node --test FILE\n/);
});
