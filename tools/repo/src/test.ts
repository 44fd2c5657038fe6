/**
 * Runs a suite of tests: `test.ts unit|real|long [FILE…]`.
 *
 * unit: pure tables beside the sources, in one process, then `test/` with a process for each file.
 * real: `test/e2e`, which need a real Kubernetes, one file after the other.
 * long: `test/long`, over five minutes; run by hand, the result goes into docs/results.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { argv, cwd, execPath, exit } from 'node:process';
import { report } from './results.ts';
import type { Tally } from './tally.ts';
import { root } from './workspace.ts';

interface Run {
  readonly files: string;
  readonly flags: readonly string[];
}

const folders = ['packages/*', 'operators/*', 'tools/*', 'demo', 'conformance', 'bench', 'examples'];
const homes = `{${folders.join(',')}}`;

const suites: Readonly<Record<string, readonly Run[]>> = {
  // A process for each file costs 80 ms; hundreds of pure tables do not need one.
  unit: [
    { files: `${homes}/src/**/*.test.ts`, flags: ['--test-isolation=none'] },
    // One more than the cores of the machine that CI has: some wait rather than work.
    { files: `${homes}/test/*.test.ts`, flags: ['--test-concurrency=3'] },
  ],
  real: [{ files: `${homes}/test/e2e/*.test.ts`, flags: ['--test-concurrency=1'] }],
  long: [{ files: `${homes}/test/long/*.test.ts`, flags: ['--test-concurrency=1'] }],
};

const [suite = '', ...chosen] = argv.slice(2);
const runs = suites[suite];
if (runs === undefined) {
  console.error(`usage: test.ts ${Object.keys(suites).join('|')} [FILE…]`);
  exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'keelson-tests-'));
// Every process would strip and compile the same sources again: of the 1.1 s of CPU that importing @keelson/testing
// takes, 0.6 s. The cache is new in each run, so that no run depends on an earlier one.
const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };

const wanted = chosen.map((file) => relative(root, resolve(cwd(), file)));
let passed = 0;
let failed = 0;
const skipped: Tally['skipped'][number][] = [];
for (const [i, { files, flags }] of runs.entries()) {
  const found = globSync(files, { cwd: root, exclude: ['**/node_modules'] }).sort();
  const matching =
    wanted.length === 0
      ? found
      : found.filter((file) => wanted.some((path) => file === path || file.startsWith(`${path}/`)));
  if (matching.length === 0) continue;
  const destination = join(folder, `${i}.json`);
  const reporters = ['spec', 'stdout', new URL('./tally.ts', import.meta.url).href, destination];
  const reporterFlags = reporters.map((value, at) => `--test-reporter${at % 2 === 0 ? '' : '-destination'}=${value}`);
  const { status } = spawnSync(execPath, ['--test', ...flags, ...reporterFlags, ...matching], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  const tally = existsSync(destination)
    ? (JSON.parse(readFileSync(destination, 'utf8')) as Tally)
    : { passed: 0, failed: 0, skipped: [] };
  passed += tally.passed;
  // Node itself may have died, or a file may have failed outside of any test.
  failed += tally.failed + (status !== 0 && tally.failed === 0 ? 1 : 0);
  skipped.push(...tally.skipped);
}
rmSync(folder, { recursive: true });

const isInVain = wanted.length > 0 && passed + failed + skipped.length === 0;
if (isInVain) {
  const places = runs.map(({ files }) => files.slice(homes.length + 1)).join(' and ');
  console.log(`There are no ${suite} tests in those files: they are ${places}, in ${folders.join(', ')}.`);
  console.log('Any other file is run by: npx node --test FILE');
} else if (passed + failed + skipped.length === 0) console.log(`There are no ${suite} tests yet.`);
for (const { name, reason } of skipped) console.log(`skipped: ${name}: ${reason}`);
report({ command: suite, passed, failed, skipped: skipped.length });
exit(failed === 0 && !isInVain ? 0 : 1);
