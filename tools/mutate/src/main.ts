/**
 * Measures the tests of a package: breaks its sources in one place after the other, and counts which of these mutants
 * some test notices. `npm run mutate -- --help`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { exit } from 'node:process';
import { parseArgs } from 'node:util';
import { systemClock } from '@keelson/core/system';
import { type Listed, nameOf, withoutListed } from './equivalent.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { shuffled } from './shuffled.ts';
import { TestProcess } from './test-process.ts';
import { measure, type Outcome, Trials } from './trial.ts';

const help = `Usage: npm run mutate -- [PACKAGE] [options]

  PACKAGE         its folder; packages/runtime unless told
  --file TEXT     only the sources whose path has TEXT in it
  --tests TEXT    only the test files whose path has TEXT in it
  --sample N      only so many mutants, drawn by the seed
  --seed N        of the sample and of the order; 1 unless told
  --most-cpu S    leave out tests that use more seconds of CPU, where a cheaper one reaches the mutant; 1.5 unless told
  --report FILE   write what became of each mutant
  --again FILE    only the mutants that such a report does not call killed
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    file: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    'most-cpu': { type: 'string', default: '1.5' },
    report: { type: 'string' },
    again: { type: 'string' },
  },
});
if (values.help) {
  console.log(help);
  exit();
}

interface Found extends Mutant, Listed {
  readonly id: string;
}

const folder = resolve(positionals[0] ?? 'packages/runtime');
const sources = join(folder, 'src');
const filesOf = (pattern: string) => globSync(pattern, { cwd: folder }).sort();
const all = filesOf('src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts') && file.includes(values.file))
  .flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const lines = text.split('\n');
    return mutantsOf(text).map(
      (mutant, number): Found => ({
        ...mutant,
        id: `${relative('src', file)}#${number}`,
        file,
        source: lines[mutant.line - 1]?.trim() ?? '',
        from: text.slice(mutant.start, mutant.end),
        to: mutant.text,
      }),
    );
  });
const isDead = ({ type }: Outcome) => type === 'killed' || type === 'endless';
const alive =
  values.again === undefined
    ? undefined
    : (JSON.parse(readFileSync(values.again, 'utf8')) as (Listed & Outcome)[])
        .filter((each) => !isDead(each))
        .map(nameOf);
const { kept, listed } = withoutListed(all, join(folder, 'test', 'equivalent-mutants.json'), values.file === '');
const chosen = shuffled(kept, Number(values.seed))
  .filter((each) => alive?.includes(nameOf(each)) ?? true)
  .slice(0, Number(values.sample));

const tests = [...filesOf('src/**/*.test.ts'), ...filesOf('test/*.test.ts')]
  .filter((file) => file.includes(values.tests))
  .map((file) => join(folder, file));
const start = (mutant?: string) => new TestProcess(sources, tests, mutant);
const begunMs = systemClock.monotonic();
const minutes = () => `${((systemClock.monotonic() - begunMs) / 60_000).toFixed(1)} min`;
const counts = { killed: 0, endless: 0, survived: 0, unreached: 0 };
const results: (Found & Outcome)[] = [];

const baseline = await (async () => {
  await using first = start();
  return await measure(first);
})();
console.error(
  `${baseline.tests.length} tests, ${chosen.length} of ${all.length} mutants, ${listed} listed as equivalent (${minutes()})`,
);
{
  await using trials = new Trials({ baseline, start, mostCpuMs: 1000 * Number(values['most-cpu']) });
  for (const mutant of chosen) {
    const outcome = await trials.try(mutant.id);
    counts[outcome.type] += 1;
    results.push({ ...mutant, ...outcome });
    if (!isDead(outcome)) {
      console.log(`${outcome.type} ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} → ${oneLine(mutant.to)}`);
    }
    if (results.length % 25 === 0) {
      console.error(`${results.length} of ${chosen.length}, ${score()}, ${minutes()}`);
      if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(results, undefined, 1));
    }
  }
}
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(results, undefined, 1));
console.log(`${JSON.stringify(counts)}: ${score()} of ${chosen.length} mutants, seed ${values.seed}, ${minutes()}`);

/** Of a sample, with the bounds between which the score of all lies with 95 % probability. */
function score(): string {
  const part = (counts.killed + counts.endless) / Math.max(results.length, 1);
  const error = results.length < kept.length ? 1.96 * Math.sqrt((part * (1 - part)) / Math.max(results.length, 1)) : 0;
  return `${(100 * part).toFixed(1)} %${error === 0 ? '' : ` ± ${(100 * error).toFixed(1)}`}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line || '(nothing)';
}
