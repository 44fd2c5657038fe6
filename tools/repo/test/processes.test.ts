/** Which tests share a process: every file runs once, and those that share leave each other alone. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { first, processesFor, sharing } from '../src/processes.ts';
import { root } from '../src/workspace.ts';

test('every file is in one process, tables with tables, those that share with those of their folder', () => {
  const files = [
    'packages/core/src/key.test.ts',
    'packages/client/src/deep/cut.test.ts',
    'packages/apiserver/test/soak.test.ts',
    'packages/apiserver/test/watch.test.ts',
    'packages/apiserver/test/logs.test.ts',
    'packages/cluster/test/logs.test.ts',
    'packages/cluster/test/e2e/logs.test.ts',
    'tools/repo/test/check.test.ts',
  ];
  assert.deepEqual(processesFor(files), [
    { name: 'tools/repo/test/check.test.ts', files: files.slice(7) },
    { name: 'tables', files: files.slice(0, 2) },
    { name: 'packages/cluster/test', files: files.slice(5, 6) },
    { name: 'packages/apiserver/test/soak.test.ts', files: files.slice(2, 3) },
    { name: 'packages/apiserver/test', files: files.slice(3, 5) },
    { name: 'packages/cluster/test/e2e/logs.test.ts', files: files.slice(6, 7) },
  ]);
});

test('the processes that are named to start first are there', () => {
  const files = globSync('*/{,*/}{src/**,test}/*.test.ts', { cwd: root, exclude: ['**/node_modules'] });
  const names = new Set(processesFor(files).map(({ name }) => name));
  assert.deepEqual(
    first.filter((name) => !names.has(name)),
    [],
  );
});

/** What would reach the other files of the process, or be reached by them. */
const reaching = {
  'a hook outside of a suite': /^(before|after)(Each)?\(/m,
  'an event of the process': /\bprocess\.(on|once)\(/,
  'a child': /node:child_process/,
  'a measure of memory': /memoryUsage|heapUsed|node:v8/,
  'a hook of the loader': /registerHooks/,
};

for (const file of sharing) {
  test(`${file} can share its process`, () => {
    assert.ok(existsSync(join(root, file)), 'it is there');
    const text = readFileSync(join(root, file), 'utf8');
    for (const [what, pattern] of Object.entries(reaching)) assert.doesNotMatch(text, pattern, what);
  });
}
