/** Programs that the checker starts by name look unused to knip; it may be told to ignore those, and nothing else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../src/workspace.ts';

/** What in check.ts needs each ignored dependency. */
const needs: Readonly<Record<string, string>> = {
  '@biomejs/biome': `command('biome'`,
  oxlint: `command('oxlint'`,
  'oxlint-tsgolint': `'--type-aware'`,
  'remark-cli': `command('remark'`,
};

test('knip ignores the programs that the checker starts, and nothing else', () => {
  const { ignoreDependencies, workspaces, ...others } = JSON.parse(readFileSync(join(root, 'knip.json'), 'utf8'));
  assert.deepEqual(ignoreDependencies, Object.keys(needs));
  assert.deepEqual(Object.keys(others), ['$schema']);
  for (const [folder, options] of Object.entries<object>(workspaces)) {
    // Programs of the system, or of the cluster under test, are no dependency of ours; only these start any.
    const startsPrograms = ['tools/kubernetes', 'operators/memcached', 'packages/cli'].includes(folder);
    const expected = ['entry', 'project', ...(startsPrograms ? ['ignoreBinaries'] : [])];
    assert.deepEqual(Object.keys(options), expected);
  }
});

test('the checker starts every program that knip ignores', () => {
  const source = readFileSync(join(root, 'tools/repo/src/check.ts'), 'utf8');
  for (const need of Object.values(needs)) assert.ok(source.includes(need), need);
});
