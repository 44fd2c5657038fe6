/**
 * Runs a suite of tests: `test.ts unit|real|long [FILE…]`.
 *
 * unit: pure tables beside the sources, and `test/`; which files share a process is in processes.ts.
 * real: `test/e2e`, which need a real Kubernetes, one file after the other.
 * long: `test/long`, over five minutes; run by hand, the result goes into docs/results.md.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { argv, chdir, cwd, env, exit } from 'node:process';
import { pathToFileURL } from 'node:url';
import { processesFor, type TestProcess } from './processes.ts';
import { report } from './results.ts';
import { runTests } from './run-tests.ts';
import { root } from './workspace.ts';

interface Suite {
  readonly places: readonly string[];
  /** How many processes run at a time. */
  readonly concurrency: number;
}

const folders = ['packages/*', 'operators/*', 'tools/*', 'demo', 'conformance', 'bench', 'examples'];
const homes = `{${folders.join(',')}}`;

const suites: Readonly<Record<string, Suite>> = {
  // One more than the cores of the machine that CI has: some wait rather than work.
  unit: { places: ['src/**/*.test.ts', 'test/*.test.ts'], concurrency: 3 },
  real: { places: ['test/e2e/*.test.ts'], concurrency: 1 },
  long: { places: ['test/long/**/*.test.ts'], concurrency: 1 },
};

const [suite = '', ...chosen] = argv.slice(2);
const chosenSuite = suites[suite];
if (chosenSuite === undefined) {
  console.error(`usage: test.ts ${Object.keys(suites).join('|')} [FILE…]`);
  exit(2);
}
const { places, concurrency } = chosenSuite;

const wanted = chosen.map((file) => relative(root, resolve(cwd(), file)));
const files = places
  .flatMap((place) => globSync(`${homes}/${place}`, { cwd: root, exclude: ['**/node_modules'] }).sort())
  .filter((file) => wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`)));

const folder = mkdtempSync(join(tmpdir(), 'keelson-tests-'));
// Every process would strip and compile the same sources again: of the 1.1 s of CPU that importing @keelson/testing
// takes, 0.6 s. The cache is new in each run, so that no run depends on an earlier one.
env.NODE_COMPILE_CACHE = join(folder, 'compiled');

/** A file to be run in one process: the only one, or one that imports all. */
function entryOf({ name, files }: TestProcess): string {
  const [only = ''] = files;
  if (files.length === 1) return join(root, only);
  const entry = join(folder, `${name.replaceAll('/', '-')}.mjs`);
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(join(root, file)).href)});\n`);
  writeFileSync(entry, imports.join(''));
  return entry;
}

chdir(root);
const { passed, failed, skipped } = await runTests(processesFor(files).map(entryOf), concurrency);
rmSync(folder, { recursive: true, maxRetries: 10 }); // a process that was just ended may have begun to write there

const isInVain = wanted.length > 0 && passed + failed + skipped.length === 0;
if (isInVain) {
  console.log(
    `There are no ${suite} tests in those files: they are ${places.join(' and ')}, in ${folders.join(', ')}.`,
  );
  console.log('Any other file is run by: npx node --test FILE');
} else if (passed + failed + skipped.length === 0) console.log(`There are no ${suite} tests yet.`);
for (const { name, reason } of skipped) console.log(`skipped: ${name}: ${reason}`);
report({ command: suite, passed, failed, skipped: skipped.length });
exit(failed === 0 && !isInVain ? 0 : 1);
