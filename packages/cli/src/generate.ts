/** Generates an operator's files: loads it, compares what there is with what there should be, and writes or reports. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type GeneratedFile, generateFiles } from '@keelson/generate';
import { changesCount, changesJson, changesText } from './changes-text.ts';
import { CommandError, Discrepancy, UsageError } from './command-error.ts';
import { installedDefinitions } from './definitions.ts';
import type { GenerateFlags } from './generate-command.ts';
import { fileChanges, writeChanges } from './generated-files.ts';
import { installationOptions } from './installation-options.ts';
import { loadOperator } from './operator-module.ts';
import { json } from './print.ts';
import { sampleProblems } from './sample-problems.ts';
import type { Shell } from './shell.ts';

export async function generate(part: 'chart' | undefined, flags: GenerateFlags, shell: Shell): Promise<void> {
  const module = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  const { operator, kinds, place } = module;
  const chosen = await installationOptions(place.folder);
  const given = { image: flags.image ?? chosen.image, namespace: flags.namespace ?? chosen.namespace };
  const folder = flags.outputDir === undefined ? place.folder : resolve(shell.cwd, flags.outputDir);
  const hasChart = part === 'chart' || existsSync(join(folder, 'chart', 'Chart.yaml'));
  const chart = hasChart && (chosen.chart ?? true);
  const files = filesOf(flags, () => generateFiles(operator, { ...chosen, ...given, kinds, chart }));
  const changes = await fileChanges(folder, files, ['chart', 'config', 'dist', 'docs']);
  if (!flags.check) {
    shell.stopSignal(); // Ctrl-C comes before the first step from here on, or after the last
    await writeChanges(folder, changes);
  }
  const warnings = files.flatMap(({ warning }) => warning ?? []);
  const isToldOf = new Set(files.filter(({ warning }) => warning !== undefined).map(({ path }) => path));
  const problems = await sampleProblems(folder, await installedDefinitions(module));
  const samples = problems.filter(({ file }) => !isToldOf.has(file));
  if (flags.output === 'json') {
    const found = { changes: changesJson(changes, flags), files: files.length, warnings, samples };
    shell.out(json({ folder, ...found }));
  } else {
    shell.out(changesText(changes, flags, shell));
    if (changes.length === 0) shell.out(`All ${files.length} files in ${folder} are as generated.\n`);
    for (const warning of warnings) shell.err(`keelson generate: ${warning}.\n`);
    for (const { file, message } of samples) shell.err(`keelson generate: ${file}: ${message}\n`);
  }
  if (!flags.check || changes.length + samples.length === 0) return;
  if (flags.output === 'json') throw new Discrepancy();
  if (changes.length === 0) {
    const broken = new Set(samples.map(({ file }) => file)).size;
    const count = broken === 1 ? '1 sample is' : `${broken} samples are`;
    throw new CommandError(`${count} not what the operator's kinds allow`, 'mend it by hand: samples are yours');
  }
  throw new CommandError(changesCount(changes), 'run "keelson generate" and commit what it writes');
}

/** A value that cannot be is a mistake in the command line, if it comes from there. */
function filesOf({ image, namespace }: GenerateFlags, make: () => readonly GeneratedFile[]): readonly GeneratedFile[] {
  try {
    return make();
  } catch (error) {
    const isGiven = (value: string | undefined) => value !== undefined && String(error).includes(`"${value}"`);
    if (!(error instanceof RangeError && (isGiven(image) || isGiven(namespace)))) throw error;
    throw new UsageError(error.message, undefined, { cause: error });
  }
}
