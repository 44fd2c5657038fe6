/**
 * `npm run bench [-- NAME] [--only TEXT] [--rounds N] [--resources N] [--before REVISION] [--json FILE]`: measures, prints
 * one table, writes the same rows where asked.
 *
 * Exits with 0 when everything was measured, also when a goal is missed: on a busy machine that is for a reader to
 * judge. A sample that cannot be taken is an error.
 */
import { openSync, writeFileSync } from 'node:fs';
import { exit } from 'node:process';
import { systemClock } from '@keelson/core/system';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { isAbout, measure, type Row } from './measure.ts';
import { commitOf } from './playback/revision.ts';
import { registry } from './registry.ts';
import { table } from './table.ts';

const names = Object.keys(registry);
/** Compares us with ourselves, so it is measured when it is asked for. */
const byNameOnly = 'playback';

async function bench(
  chosen: readonly string[],
  { only, rounds, resources, before }: Flags,
  output: number | undefined,
) {
  const rows: Row[] = [];
  for (const suite of chosen.map((one) => registry[one] ?? [])) {
    for await (const benchmark of typeof suite === 'function' ? suite(systemClock, { resources, before }) : suite) {
      if (only !== undefined && !isAbout(benchmark, only)) continue;
      for (const { name } of benchmark.measures) console.error(`measuring ${name}`);
      rows.push(...(await measure(benchmark, systemClock, rounds)));
    }
  }
  if (rows.length > 0) console.log(table(rows));
  else if (only === undefined) console.log(`There are no benchmarks of ${chosen.join(', ')} yet.`);
  else console.log(`No benchmark of ${chosen.join(', ')} has "${only}" in the name of a measure.`);
  if (output !== undefined) writeFileSync(output, `${JSON.stringify(rows, null, 2)}\n`);
}

function counted(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It has to be a whole number of 1 or more.');
}

const program = new Command('npm run bench --')
  .description('Measures Keelson side by side with its peers. Median (lower to upper quartile); smaller is better.')
  .argument('[name]', `what to measure: ${names.join(', ')}; all but ${byNameOnly} by default`)
  .option('--only <text>', 'only those benchmarks that have this in the name of a measure')
  .option('--rounds <n>', 'at most so many samples of each side, beside the one that warms up', counted)
  .option('--resources <n>', 'how many custom resources the operators of engine and playback look after', counted)
  .option('--before <revision>', 'with playback: the revision that the engine is compared with (default: HEAD)')
  .option('--json <file>', 'write the rows to a file, too')
  .exitOverride();

/** Opened before anything is measured, so that a wrong path does not cost a run. */
function opened(file: string): number {
  try {
    return openSync(file, 'w');
  } catch (error) {
    return program.error(`Cannot write the rows: ${(error as Error).message}.`);
  }
}

interface Flags {
  readonly only?: string;
  readonly rounds?: number;
  readonly resources?: number;
  readonly before?: string;
  readonly json?: string;
}

program.action(async (name: string | undefined, flags: Flags) => {
  const { json } = flags;
  if (name !== undefined && !names.includes(name)) {
    program.error(`Unknown benchmark ${name}: choose from ${names.join(', ')}.`);
  }
  if (flags.before !== undefined && name !== byNameOnly) program.error(`--before goes with ${byNameOnly}.`);
  const { before = 'HEAD' } = flags;
  const commit = name === byNameOnly ? commitOf(before) : undefined;
  if (name === byNameOnly && commit === undefined) program.error(`There is no revision ${before} in this repository.`);
  await bench(
    name === undefined ? names.filter((each) => each !== byNameOnly) : [name],
    { ...flags, ...(commit !== undefined && { before: commit }) },
    json === undefined ? undefined : opened(json),
  );
});

try {
  await program.parseAsync();
  exit(); // not by itself: after many cut connections Node 24.21 was seen to spin for ever in its own clean-up
} catch (error) {
  // Commander has already printed the sentence.
  if (error instanceof CommanderError) exit(error.exitCode === 0 ? 0 : 2);
  throw error;
}
