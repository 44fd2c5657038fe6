import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { registry } from '../src/registry.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const bench = (...args: readonly string[]) => spawnSync(execPath, [main, ...args], { encoding: 'utf8' });

const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
after(() => rmSync(folder, { recursive: true }));

const refusals = [
  {
    says: 'an unknown name',
    args: ['faster'],
    sentence: 'Unknown benchmark faster: choose from start, client, apiserver, cluster, engine, playback.\n',
  },
  { says: 'a name that every object has', args: ['constructor'], sentence: /^Unknown benchmark constructor: .*\n$/ },
  { says: 'an unknown option', args: ['--fast'], sentence: /^error: unknown option '--fast'\n$/ },
  {
    says: 'a number that is none',
    args: ['engine', '--resources', 'many'],
    sentence: /^error: option '--resources <n>' argument 'many' is invalid\. It has to be a whole number/,
  },
  {
    says: 'no sample at all',
    args: ['engine', '--rounds', '0'],
    sentence: /^error: option '--rounds <n>' argument '0'/,
  },
  {
    says: 'a peer of its own where there is another',
    args: ['start', '--before', 'HEAD'],
    sentence: '--before goes with playback.\n',
  },
  {
    says: 'an unknown revision',
    args: ['playback', '--before', '--help'],
    sentence: 'There is no revision --help in this repository.\n',
  },
  {
    says: 'a file that cannot be written',
    args: ['--json', join(folder, 'missing', 'rows.json')],
    sentence: /^Cannot write the rows: ENOENT.*\n$/,
  },
];

for (const { says, args, sentence } of refusals) {
  test(`${says} gets one sentence and exit code 2`, () => {
    const { status, stdout, stderr } = bench(...args);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    if (typeof sentence === 'string') assert.equal(stderr, sentence);
    else assert.match(stderr, sentence);
  });
}

test('--help names everything that can be measured', () => {
  const { status, stdout } = bench('--help');
  assert.equal(status, 0);
  for (const name of Object.keys(registry)) assert.match(stdout, new RegExp(`\\b${name}\\b`));
});

test('a name without benchmarks says so, and its rows are an empty list', () => {
  const empty = Object.entries(registry).find(([, suite]) => typeof suite !== 'function' && suite.length === 0)?.[0];
  assert.ok(empty, 'everything has benchmarks now: this test and that sentence can go');
  const file = join(folder, 'rows.json');
  const { status, stdout } = bench(empty, '--json', file);
  assert.equal(status, 0);
  assert.equal(stdout, `There are no benchmarks of ${empty} yet.\n`);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), []);
});

test('a text that no measure has in its name is told', () => {
  const { status, stdout } = bench('start', '--only', 'nothing');
  assert.equal(status, 0);
  assert.equal(stdout, 'No benchmark of start has "nothing" in the name of a measure.\n');
});
