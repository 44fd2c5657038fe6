/** Makes an operator's bundle: compares what there is with what there should be, and writes or reports. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GeneratedFile } from '@keelson/generate';
import { type BundleOptions, bundleFiles, catalogueFile } from '@keelson/generate/bundle';
import { parseAllDocuments } from 'yaml';
import type { BundleFlags } from './bundle-command.ts';
import { readBundleWords } from './bundle-words.ts';
import { changesCount, changesJson, changesText } from './changes-text.ts';
import { CommandError, Discrepancy, UsageError } from './command-error.ts';
import { sampleFiles } from './dev-samples.ts';
import { fileChanges, writeChanges } from './generated-files.ts';
import { installationOptions } from './installation-options.ts';
import { loadOperator } from './operator-module.ts';
import { json } from './print.ts';
import type { Shell } from './shell.ts';

/** Writes the bundle, and the catalogue that is named; with `--check`, only says what is not as it should be. */
export async function bundle(flags: BundleFlags, shell: Shell): Promise<void> {
  const { operator, kinds, place } = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  const { folder } = place;
  const chosen = await installationOptions(folder);
  const said = await readBundleWords(folder);
  const version = said.words.version ?? chosen.version;
  const options = { ...chosen, ...said, version, kinds, samples: await samplesIn(folder) };
  const all = { ...options, ...given(flags) };
  const made = filesOf(flags, () => bundleFiles(operator, all));
  const own = await fileChanges(folder, made, ['bundle']);
  const offered = flags.catalogue === undefined ? undefined : await catalogueChanges(flags.catalogue);
  if (!flags.check) {
    shell.stopSignal(); // Ctrl-C comes before the first step from here on, or after the last
    await writeChanges(folder, own);
    if (offered !== undefined) await writeChanges(offered.folder, offered.changes);
  }
  const changes = [...own, ...(offered?.told ?? [])];
  const warnings = made.flatMap(({ warning }) => warning ?? []);
  if (flags.output === 'json') {
    shell.out(json({ folder, changes: changesJson(changes, flags), files: made.length, warnings }));
  } else {
    shell.out(changesText(changes, flags, shell));
    if (changes.length === 0) shell.out(`All ${made.length} files in ${folder}/bundle are as generated.\n`);
    for (const warning of warnings) shell.err(`keelson bundle: ${warning}.\n`);
  }
  if (!flags.check || changes.length === 0) return;
  if (flags.output === 'json') throw new Discrepancy();
  throw new CommandError(changesCount(changes), 'run "keelson bundle" and commit what it writes');

  async function catalogueChanges(path: string) {
    const folder = resolve(shell.cwd, path);
    const before = await documentsIn(join(folder, operator.name, 'catalog.yaml'));
    const files = filesOf(flags, () => [catalogueFile(operator, { ...all, bundleImage: flags.bundleImage }, before)]);
    const changes = await fileChanges(folder, files, []);
    return { folder, changes, told: changes.map((each) => ({ ...each, path: join(path, each.path) })) };
  }
}

async function documentsIn(file: string): Promise<readonly unknown[]> {
  if (!existsSync(file)) return [];
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as unknown);
}

/** The flags that count before what package.json and the words say. */
function given({ image, version, channels, defaultChannel, replaces }: BundleFlags): Partial<BundleOptions> {
  return {
    ...(image !== undefined && { image }),
    ...(version !== undefined && { version }),
    ...(channels !== undefined && { channels: channels.split(',').map((each) => each.trim()) }),
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
  };
}

/** A value that cannot be is a mistake in the command line, if it comes from there. */
function filesOf(flags: BundleFlags, make: () => readonly GeneratedFile[]): readonly GeneratedFile[] {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const values = Object.values(given(flags)).flat().map(String);
    const isGiven = values.some((value) => error.message.includes(`"${value}"`));
    throw new (isGiven ? UsageError : CommandError)(`${error.message}.`, undefined, { cause: error });
  }
}

async function samplesIn(folder: string): Promise<readonly unknown[]> {
  return (await Promise.all((await sampleFiles(folder)).map(documentsIn))).flat();
}
